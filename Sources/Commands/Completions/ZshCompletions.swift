/// The completions of a command for zsh, using `_arguments`.
struct ZshCompletions {
  let command: CompletedCommand

  private var applications: String { "_\(command.name)_applications" }

  var lines: [String] {
    [
      "#compdef \(command.name)", command.origin(.zsh),
      "\(applications)() {",
      "  local -a identifiers",
      "  identifiers=(${${(f)\"$(timeout 2 lsregister list 2>/dev/null)\"}%%[[:space:]]*})",
      "  compadd -a identifiers",
      "}",
      "_\(command.name)() {",
    ] + (command.verbs.isEmpty ? plain : byVerb)
      + ["}", "_\(command.name) \"$@\""]
  }

  private var plain: [String] {
    call(
      "_arguments -s -S :", command.options, [quoted("*:" + place(command.operand))], indent: "  ")
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
        "_arguments -s -S :", verb.options, [quoted("*:" + place(verb.operand))],
        indent: "          ")
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
    case (.rest(let name), let word):
      return [quoted("--\(option.long)\(help):*:\(name):\(action(word ?? .nothing))")]
    case (.one(let name), let word):
      let value = ":\(escaped(name)):\(action(word ?? .nothing))"
      return (short.map { [quoted("*\($0)+\(help)\(value)")] } ?? [])
        + [quoted("*--\(option.long)=\(help)\(value)")]
    }
  }

  /// The message and the action of an operand.
  private func place(_ word: CompletedWord) -> String {
    switch word {
    case .nothing: "argument: "
    case .path: "path:_files"
    case .application: "application:\(applications)"
    case .words(let words): "argument:(\(words.joined(separator: " ")))"
    }
  }

  private func action(_ word: CompletedWord) -> String {
    String(place(word).drop { $0 != ":" }.dropFirst())
  }

  /// Escapes the characters that separate parts of a specification.
  private func escaped(_ text: String) -> String {
    text.map { "\\[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }
}
