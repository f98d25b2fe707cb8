/// The completions of a command for zsh, using `_arguments`.
struct ZshCompletions {
  let command: CompletedCommand

  private var offer: String { "_\(command.name)_offer" }
  private var operand: String { "_\(command.name)_operand" }

  var lines: [String] {
    ["#compdef \(command.name)", command.origin(.zsh)] + candidates + operands
      + ["_\(command.name)() {"] + (command.verbs.isEmpty ? plain : byVerb)
      + ["}", "_\(command.name) \"$@\""]
  }

  /// A function that offers candidates. Its arguments are kinds; those that `_arguments` adds are ignored.
  private var candidates: [String] {
    [
      "\(offer)() {",
      "  local kind line MATCH MBEGIN MEND",
      "  local -a found match mbegin mend",
      "  for kind in \"$@\"; do",
      "    found=()",
      "    case $kind in",
      "      path) _files ;;",
      "      host) _hosts ;;",
      "      remote)",
      "        found=(${${(f)\"$(timeout 2 lsregister remote list 2>/dev/null)\"}%%[[:space:]]*})",
      "        compadd -a found",
      "        ;;",
      "      application|name|scheme|address)",
      "        for line in ${(f)\"$(timeout 2 lsregister list 2>/dev/null)\"}; do",
      "          [[ $line =~ '\(CompletedCommand.listedApplication)' ]] || continue",
      "          case $kind in",
      "            application) found+=(\"$match[1]\") ;;",
      "            name) found+=(\"$match[4]\") ;;",
      "            scheme) found+=(${${(s:,:)match[3]}:#-}) ;;",
      "            address) found+=(${^${${(s:,:)match[3]}:#-}}:) ;;",
      "          esac",
      "        done",
      "        found=(${(u)found:#:})",
      "        if [[ $kind == address ]]; then",
      "          compadd -S '' -a found",
      "        else",
      "          compadd -a found",
      "        fi",
      "        ;;",
      "    esac",
      "  done",
      "}",
    ]
  }

  /// A function that offers candidates for an operand, by the operands before the cursor.
  private var operands: [String] {
    let hasVerbs = !command.verbs.isEmpty
    var lines = [
      "\(operand)() {",
      "  local word skips= mode=\(CompletedCommand.plainMode)",
      "  local -a operands",
      "  for word in \"${(@)words[\(hasVerbs ? 1 : 2),CURRENT-1]}\"; do",
      "    if [[ -n $skips ]]; then",
      "      skips=",
      "      continue",
      "    fi",
      "    case $word in",
      "      \(command.valuedOptions.flatMap(\.spellings).joined(separator: "|"))) skips=1 ;;",
    ]
    for (option, _) in command.modes {
      lines.append("      \(option.spellings.joined(separator: "|"))) mode=--\(option.long) ;;")
    }
    lines += ["      -*) ;;", "      *) operands+=(\"$word\") ;;", "    esac", "  done"]
    lines.append(
      hasVerbs
        ? "  case \"$operands[1] $(($#operands - 1)) $operands[2]\" in"
        : "  case \"$mode $#operands $operands[1]\" in")
    for row in command.rows {
      lines.append("    '\(row.beginning)'*\(row.end.isEmpty ? "" : "'\(row.end)'"))")
      var words = row.words.compactMap { word -> String? in
        guard case .words(let words) = word else { return nil }
        return "compadd -- \(words.joined(separator: " "))"
      }
      let kinds = row.words.compactMap(\.kind)
      if !kinds.isEmpty { words.append("\(offer) \(kinds.joined(separator: " "))") }
      lines += (words.isEmpty ? [":"] : words).map { "      " + $0 } + ["      ;;"]
    }
    return lines + ["  esac", "}"]
  }

  private var plain: [String] {
    call("_arguments -s -S :", command.options, [quoted("*:operand:\(operand)")], indent: "  ")
  }

  private var byVerb: [String] {
    var lines = [
      "  local curcontext=$curcontext state",
      "  local -a line verbs",
      "  typeset -A opt_args",
    ]
    lines += call(
      "_arguments -C -s -S :", command.options,
      [quoted("1:verb:->verb"), quoted("*::argument:->argument")], indent: "  ")
    lines += ["  case $state in", "    verb)", "      verbs=("]
    lines += command.verbs.map { "        " + quoted("\($0.name):\(escaped($0.summary))") }
    lines += [
      "      )", "      _describe verb verbs", "      ;;", "    argument)",
      "      case $words[1] in",
    ]
    for verb in command.verbs {
      lines.append("        \(verb.name))")
      lines += call(
        "_arguments -s -S :", verb.options, [quoted("*:operand:\(operand)")], indent: "          ")
      lines.append("          ;;")
    }
    return lines + ["      esac", "      ;;", "  esac"]
  }

  /// A call written in several lines.
  private func call(
    _ start: String, _ options: [OptionSpelling], _ operands: [String], indent: String
  ) -> [String] {
    let rows = options.flatMap(rows) + operands
    return [indent + start + " \\"]
      + rows.dropLast().map { indent + "  " + $0 + " \\" }
      + rows.suffix(1).map { indent + "  " + $0 }
  }

  private func rows(_ option: OptionSpelling) -> [String] {
    let help = "[\(escaped(option.help))]"
    let short = option.short.map { "-\($0)" }
    switch (option.value, option.completedValue) {
    case (.none, _):
      let names = option.spellings.joined(separator: " ")
      return option.spellings.map { quoted("(\(names))\($0)\(help)") }
    case (.rest(let name), let words):
      return [quoted("--\(option.long)\(help):*:\(name):\(action(words ?? []))")]
    case (.one(let name), let words):
      let value = ":\(escaped(name)):\(action(words ?? []))"
      return (short.map { [quoted("*\($0)+\(help)\(value)")] } ?? [])
        + [quoted("*--\(option.long)=\(help)\(value)")]
    }
  }

  /// The action for the value of an option: words, or kinds of candidates.
  private func action(_ words: [CompletedWord]) -> String {
    for case .words(let words) in words { return "(\(words.joined(separator: " ")))" }
    let kinds = words.compactMap(\.kind)
    return kinds.isEmpty ? " " : "\(offer) \(kinds.joined(separator: " "))"
  }

  /// Escapes the characters that separate parts of a specification.
  private func escaped(_ text: String) -> String {
    text.map { "\\[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }
}
