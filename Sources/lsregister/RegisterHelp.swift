internal import Commands

extension RegisterCommand {
  static var completions: CompletedCommand {
    CompletedCommand(
      "lsregister", options: RegisterFlag.allCases,
      verbs: Verb.allCases.map { verb in
        .init(
          verb.rawValue, summary: verb.summary, options: verb.flags, operand: verb.completedOperand)
      })
  }

  static func help(_ verb: Verb?) -> HelpText {
    var help: HelpText
    if let verb {
      help = HelpText(
        usage: ["lsregister [OPTION]... \(verb.synopsis)"],
        purpose: ["", "\(verb): \(verb.summary).", ""] + verb.explanation)
      help.options(verb.flags)
    } else {
      help = HelpText(
        usage: ["lsregister [OPTION]... VERB [ARGUMENT]..."],
        purpose: [
          "", "Looks after the registry of applications. 'lsregister VERB --help' tells more.",
        ])
      help.section("Verbs", Verb.allCases.flatMap { [$0.synopsis, $0.summary] })
      help.options(RegisterFlag.allCases)
    }
    help.section("Exit status", ExitCode.help(no: "a property list has errors"))
    return help
  }
}
