/// The completions of one command for fish.
struct FishCompletions {
  let command: CompletedCommand

  private func function(_ name: String) -> String { "__\(command.name)_\(name)" }

  var lines: [String] {
    [command.origin(.fish)] + candidates + place + operands + paths
      + ["complete -c \(command.name) -f"]
      + (command.verbs.isEmpty ? command.options.map { row($0, nil) } : byVerb)
      + [
        "\(start(nil)) -a '(\(function("operands")))'",
        "\(start(function("takes_path"))) -F",
      ]
  }

  /// A function that prints candidates. Its argument is their kind.
  private var candidates: [String] {
    [
      "function \(function("candidates"))",
      "  if test $argv[1] = host",
      "    __fish_print_hostnames",
      "    return",
      "  else if test $argv[1] = remote",
      "    timeout 2 lsregister remote list 2>/dev/null | string replace -r ' .*' ''",
      "    return",
      "  end",
      "  timeout 2 lsregister list 2>/dev/null | while read -l line",
      "    set -l parts (string match -r -- '\(CompletedCommand.listedApplication)' $line)",
      "    or continue",
      "    switch $argv[1]",
      "      case application",
      "        echo $parts[2]",
      "      case name",
      "        echo $parts[5]",
      "      case scheme",
      "        string split , -- $parts[4] | string match -v -- -",
      "      case address",
      "        string split , -- $parts[4] | string match -v -- - | string replace -r '$' :",
      "    end",
      "  end",
      "end",
    ]
  }

  /// A function that prints the verb or mode, the number of operands before the cursor, and the first of them.
  private var place: [String] {
    var lines = [
      "function \(function("place"))",
      "  set -l words (commandline -opc)",
      "  set -e words[1]",
      "  set -l operands",
      "  set -l mode \(CompletedCommand.plainMode)",
      "  set -l skips no",
      "  for word in $words",
      "    if test $skips = yes",
      "      set skips no",
      "      continue",
      "    end",
      "    switch $word",
      "      case \(command.valuedOptions.flatMap(\.spellings).joined(separator: " "))",
      "        set skips yes",
    ]
    for (option, _) in command.modes {
      lines += [
        "      case \(option.spellings.joined(separator: " "))",
        "        set mode --\(option.long)",
      ]
    }
    lines += [
      "      case '-*'",
      "      case '*'",
      "        set -a operands $word",
      "    end",
      "  end",
    ]
    if !command.verbs.isEmpty {
      lines += ["  set mode \"$operands[1]\"", "  set -e operands[1]"]
    }
    return lines + [
      "  printf '%s %s %s\\n' \"$mode\" (count $operands) \"$operands[1]\"", "end",
    ]
  }

  private var operands: [String] {
    var lines = ["function \(function("operands"))", "  switch (\(function("place")))"]
    if !command.verbs.isEmpty { lines.append("    case ' *'") }
    for row in command.rows {
      lines.append("    case '\(row.beginning)*\(row.end)'")
      lines += row.words.compactMap { word in
        switch word {
        case .path: nil
        case .words(let words): "      string split ' ' \(quoted(words.joined(separator: " ")))"
        default: word.kind.map { "      \(function("candidates")) \($0)" }
        }
      }
    }
    return lines + ["  end", "end"]
  }

  /// A function that succeeds where a file is offered.
  private var paths: [String] {
    var lines = ["function \(function("takes_path"))", "  switch (\(function("place")))"]
    for row in command.rows {
      lines.append("    case '\(row.beginning)*\(row.end)'")
      lines.append("      return \(row.words.contains(.path) ? 0 : 1)")
    }
    return lines + ["  end", "  return 1", "end"]
  }

  private var byVerb: [String] {
    let verbIs = function("verb_is")
    var lines = [
      "function \(verbIs)",
      "  string match -q -- \"$argv[1] *\" (\(function("place")))",
      "end",
    ]
    let first = "\(verbIs) ''"
    lines += command.options.map { row($0, first) }
    for verb in command.verbs {
      lines.append("\(start(first)) -a \(verb.name) -d \(quoted(verb.summary))")
    }
    for verb in command.verbs { lines += verb.options.map { row($0, "\(verbIs) \(verb.name)") } }
    return lines
  }

  private func start(_ condition: String?) -> String {
    "complete -c \(command.name)" + (condition.map { " -n \(quoted($0))" } ?? "")
  }

  private func row(_ option: OptionSpelling, _ condition: String?) -> String {
    let short = option.short.map { " -s \($0)" } ?? ""
    return "\(start(condition))\(short) -l \(option.long)"
      + (option.completedValue.map { value($0, of: option) } ?? "") + " -d \(quoted(option.help))"
  }

  private func value(_ words: [CompletedWord], of option: OptionSpelling) -> String {
    // The arguments after an option that takes the rest may be anything.
    if case .rest = option.value { return " -F" }
    let offered = words.compactMap { word in
      if case .words(let words) = word { return words.joined(separator: " ") }
      return word == .path ? nil : word.kind.map { "(\(function("candidates")) \($0))" }
    }
    return (words.contains(.path) ? " -r -F" : " -x")
      + (offered.isEmpty ? "" : " -a \(quoted(offered.joined(separator: " ")))")
  }

  private func quoted(_ text: String) -> String {
    "'" + text.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
