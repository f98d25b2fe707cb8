/// The completions of a command for bash, using builtins only.
///
/// bash splits words at `=`, so `--as=ID` arrives as three words, and at `:`. What the daemon names is never passed to
/// `compgen -W`, which would perform expansions on it.
struct BashCompletions {
  let command: CompletedCommand

  private var function: String { "_\(command.name)_completions" }
  private var offer: String { "_\(command.name)_offer" }

  var lines: [String] {
    [command.origin(.bash)] + candidates + ["\(function)() {"] + words + values + operands + options
      + cases + ["}", "complete -F \(function) \(command.name)"]
  }

  /// A function that adds to COMPREPLY what begins with the variable `word`. Its arguments are kinds of candidates.
  private var candidates: [String] {
    [
      "\(offer)() {",
      "  local kind line text scheme schemes row='\(CompletedCommand.listedApplication)'",
      "  local -a found=() files=()",
      "  for kind in \"$@\"; do",
      "    case $kind in",
      "      path) mapfile -t files < <(compgen -f -- \"$word\") ;;",
      "      host) mapfile -t -O ${#found[@]} found < <(compgen -A hostname -- \"$word\") ;;",
      "      remote)",
      "        while read -r line _; do",
      "          found+=(\"$line\")",
      "        done < <(timeout 2 lsregister remote list 2>/dev/null)",
      "        ;;",
      "      *)",
      "        while IFS= read -r line; do",
      "          [[ $line =~ $row ]] || continue",
      "          case $kind in",
      "            application) found+=(\"${BASH_REMATCH[1]}\") ;;",
      "            name) found+=(\"${BASH_REMATCH[4]}\") ;;",
      "            *)",
      "              [[ ${BASH_REMATCH[3]} == - ]] && continue",
      "              IFS=, read -ra schemes <<<\"${BASH_REMATCH[3]}\"",
      "              for scheme in \"${schemes[@]}\"; do",
      "                [[ $kind == address ]] && scheme+=:",
      "                found+=(\"$scheme\")",
      "              done",
      "              ;;",
      "          esac",
      "        done < <(timeout 2 lsregister list 2>/dev/null)",
      "        ;;",
      "    esac",
      "  done",
      "  for line in \"${found[@]}\"; do",
      "    text=$line",
      "    [[ $line == *[!A-Za-z0-9.:+_-]* ]] && printf -v text %q \"$line\"",
      "    [[ $line == \"$word\"* || $text == \"$word\"* ]] && COMPREPLY+=(\"$text\")",
      "  done",
      "  if [[ ${#COMPREPLY[@]} == 0 ]]; then",
      "    [[ ${#files[@]} == 0 ]] || compopt -o filenames",
      "    COMPREPLY=(\"${files[@]}\")",
      "  else",
      // With the option filenames, bash would quote the colon after a scheme.
      "    for line in \"${files[@]}\"; do",
      "      printf -v text %q \"$line\"",
      "      COMPREPLY+=(\"$text\")",
      "    done",
      "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace",
      "  fi",
      "}",
    ]
  }

  private var words: [String] {
    [
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
      "  local mode=\(CompletedCommand.plainMode) index",
      "  local -a operands=()",
      "  COMPREPLY=()",
      // The rest of a URL.
      "  [[ $word == : || $before == : ]] && return",
      "  if [[ $word == = ]]; then",
      "    word=",
      "  elif [[ $before == = ]]; then",
      "    before=${COMP_WORDS[COMP_CWORD - 2]}",
      "  fi",
    ]
  }

  private var values: [String] {
    var lines = ["  case $before in"]
    for option in command.valuedOptions {
      lines.append("    \(option.spellings.joined(separator: " | ")))")
      lines += offer(option.completedValue ?? [], indent: "      ")
      lines += ["      return", "      ;;"]
    }
    return lines + ["  esac"]
  }

  /// Collects the operands before the cursor.
  private var operands: [String] {
    let skipped = command.valuedOptions.flatMap(\.spellings).joined(separator: " | ")
    let rest = command.options.filter { if case .rest = $0.value { true } else { false } }
    var lines = [
      "  for ((index = 1; index < COMP_CWORD; index++)); do",
      "    case ${COMP_WORDS[index]} in",
      "      \(skipped)) [[ ${COMP_WORDS[index + 1]} == = ]] || ((index++)) ;;",
      "      =) ((index++)) ;;",
    ]
    for option in rest {
      lines.append("      --\(option.long))")
      lines += offer([.path], indent: "        ") + ["        return", "        ;;"]
    }
    for (option, _) in command.modes {
      lines.append(
        "      \(option.spellings.joined(separator: " | "))) mode=--\(option.long) ;;")
    }
    return lines + [
      "      -*) ;;", "      *) operands+=(\"${COMP_WORDS[index]}\") ;;", "    esac", "  done",
    ]
  }

  /// Offers options if the word begins with `-`.
  private var options: [String] {
    var lines = ["  if [[ $word == -* ]]; then"]
    if command.verbs.isEmpty {
      lines += offer([.words(command.options.flatMap(\.spellings))], indent: "    ")
    } else {
      lines += ["    case ${operands[0]} in", "      '')"]
      lines += offer([.words(command.options.flatMap(\.spellings))], indent: "        ")
      lines.append("        ;;")
      for verb in command.verbs {
        lines.append("      \(verb.name))")
        lines += offer([.words(verb.options.flatMap(\.spellings))], indent: "        ")
        lines.append("        ;;")
      }
      lines.append("    esac")
    }
    return lines + ["    return", "  fi"]
  }

  private var cases: [String] {
    var lines: [String]
    if command.verbs.isEmpty {
      lines = ["  case \"$mode ${#operands[@]} ${operands[0]}\" in"]
    } else {
      lines = ["  case \"${operands[0]} $((${#operands[@]} - 1)) ${operands[1]}\" in", "    ' '*)"]
      lines += offer([.words(command.verbs.map(\.name))], indent: "      ") + ["      ;;"]
    }
    for row in command.rows {
      lines.append("    '\(row.beginning)'*\(row.end.isEmpty ? "" : "'\(row.end)'"))")
      lines += offer(row.words, indent: "      ") + ["      ;;"]
    }
    return lines + ["  esac"]
  }

  private func offer(_ words: [CompletedWord], indent: String) -> [String] {
    var lines: [String] = []
    for case .words(let words) in words {
      lines.append(
        "mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$word\")"
      )
    }
    let kinds = words.compactMap(\.kind)
    if !kinds.isEmpty { lines.append("\(offer) \(kinds.joined(separator: " "))") }
    return (lines.isEmpty ? [":"] : lines).map { indent + $0 }
  }
}
