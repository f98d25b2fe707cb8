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
        usage: verb.usage.map { "lsregister [OPTION]... \($0)" },
        purpose: ["", "\(verb): \(verb.summary).", ""] + verb.explanation)
      help.options(verb.flags)
    } else {
      help = HelpText(
        usage: [
          "lsregister [OPTION]... VERB [ARGUMENT]...",
          "lsregister [-kill] [-gc] [-seed] [-lint] [-f | -u] [-r | -R] [-v] [-dump]",
          "           [-domain DOMAIN]... [PATH]...",
        ],
        purpose: [
          "", "Looks after the registry of applications. 'lsregister VERB --help' tells more.", "",
          "The second form is that of macOS. -f registers PATH, or the bundles in it (-r: and below,",
          "-R: also in bundles), -u unregisters it; -kill forgets every registration by path, -gc those",
          "whose files are gone; -seed, -domain, -apps and -all read the application folders again;",
          "-lint prints what is odd, -dump everything, -v what is done.",
        ])
      help.section("Verbs", Verb.allCases.flatMap { [$0.synopsis, $0.summary] })
      help.options(RegisterFlag.allCases)
    }
    help.section("Exit status", ExitCode.help(no: "a property list has errors"))
    return help
  }
}
