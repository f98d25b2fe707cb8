/// The completions of a command for bash, using builtins only.
///
/// bash splits words at `=`, so `--as=ID` arrives as three words. Application identifiers are never passed to
/// `compgen -W`, which would perform expansions on them.
struct BashCompletions {
  let command: CompletedCommand

  private var function: String { "_\(command.name)_completions" }
  private var valued: [OptionSpelling] { command.options.filter { $0.completedValue != nil } }

  var lines: [String] {
    [command.origin(.bash), "\(function)() {"] + words + values
      + (command.verbs.isEmpty ? plain : byVerb)
      + ["}", "complete -F \(function) \(command.name)"]
  }

  private var words: [String] {
    [
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
      "  local verb= index line",
      "  COMPREPLY=()",
      "  if [[ $word == = ]]; then",
      "    word=",
      "  elif [[ $before == = ]]; then",
      "    before=${COMP_WORDS[COMP_CWORD - 2]}",
      "  fi",
    ]
  }

  private var values: [String] {
    var lines = ["  case $before in"]
    for option in valued {
      lines.append("    \(option.spellings.joined(separator: " | ")))")
      lines += offer(option.completedValue ?? .nothing, indent: "      ")
      lines += ["      return", "      ;;"]
    }
    return lines + ["  esac"]
  }

  private var plain: [String] {
    let rest = command.options.filter { if case .rest = $0.value { true } else { false } }
    var lines = ["  for ((index = 1; index < COMP_CWORD; index++)); do"]
    for option in rest {
      lines += [
        "    if [[ ${COMP_WORDS[index]} == --\(option.long) ]]; then"
      ]
      lines += offer(.path, indent: "      ") + ["      return", "    fi"]
    }
    lines += ["  done"]
    return (rest.isEmpty ? [] : lines) + offer(command.operand, or: command.options, indent: "  ")
  }

  private var byVerb: [String] {
    let skipped = valued.flatMap(\.spellings).joined(separator: " | ")
    var lines = [
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    case ${COMP_WORDS[index]} in",
      "      \(skipped)) [[ ${COMP_WORDS[index + 1]} == = ]] || ((index++)) ;;",
      "      =) ((index++)) ;;",
      "      -*) ;;",
      "      *)",
      "        verb=${COMP_WORDS[index]}",
      "        break",
      "        ;;",
      "    esac",
      "  done",
      "  case $verb in",
      "    '')",
    ]
    lines += offer(
      .words(command.verbs.map(\.name)), or: command.options, indent: "      ")
    lines.append("      ;;")
    for verb in command.verbs {
      lines.append("    \(verb.name))")
      lines += offer(verb.operand, or: verb.options, indent: "      ") + ["      ;;"]
    }
    return lines + ["  esac"]
  }

  /// Offers options if the word begins with `-`, otherwise the operand.
  private func offer(
    _ operand: CompletedWord, or options: [OptionSpelling], indent: String
  ) -> [String] {
    let names = options.flatMap(\.spellings)
    return [indent + "if [[ $word == -* ]]; then"]
      + offer(.words(names), indent: indent + "  ")
      + [indent + "else"]
      + offer(operand, indent: indent + "  ")
      + [indent + "fi"]
  }

  private func offer(_ word: CompletedWord, indent: String) -> [String] {
    let lines: [String] =
      switch word {
      case .nothing: [":"]
      case .path:
        ["compopt -o filenames", "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"]
      case .words(let words):
        [
          "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$word\")"
        ]
      case .application:
        [
          "while read -r line _; do",
          "  [[ $line == \"$word\"* ]] && COMPREPLY+=(\"$line\")",
          "done < <(timeout 2 lsregister list 2>/dev/null)",
        ]
      }
    return lines.map { indent + $0 }
  }
}
