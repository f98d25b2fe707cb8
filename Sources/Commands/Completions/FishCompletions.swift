/// The completions of one command for fish.
struct FishCompletions {
  let command: CompletedCommand

  private var applications: String { "__\(command.name)_applications" }

  var lines: [String] {
    [
      command.origin(.fish),
      "function \(applications)",
      "  timeout 2 lsregister list 2>/dev/null | string replace -r '\\s.*' ''",
      "end",
      "complete -c \(command.name) -f",
    ] + (command.verbs.isEmpty ? plain : byVerb)
  }

  private var plain: [String] {
    command.options.map { row($0, nil) } + operand(command.operand, nil)
  }

  private var byVerb: [String] {
    let first = "__fish_use_subcommand"
    var lines = command.options.map { row($0, first) }
    for verb in command.verbs {
      lines.append("\(start(first)) -a \(verb.name) -d \(quoted(verb.summary))")
    }
    for verb in command.verbs {
      let condition = "__fish_seen_subcommand_from \(verb.name)"
      lines += verb.options.map { row($0, condition) } + operand(verb.operand, condition)
    }
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

  private func value(_ word: CompletedWord, of option: OptionSpelling) -> String {
    // The arguments after an option that takes the rest may be anything.
    if case .rest = option.value { return " -F" }
    return switch word {
    case .nothing: " -x"
    case .path: " -r -F"
    case .application: " -x -a '(\(applications))'"
    case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
    }
  }

  private func operand(_ word: CompletedWord, _ condition: String?) -> [String] {
    switch word {
    case .nothing: []
    case .path: ["\(start(condition)) -F"]
    case .application: ["\(start(condition)) -a '(\(applications))'"]
    case .words(let words): ["\(start(condition)) -a \(quoted(words.joined(separator: " ")))"]
    }
  }

  private func quoted(_ text: String) -> String {
    "'" + text.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
