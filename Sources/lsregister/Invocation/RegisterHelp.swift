internal import Commands

extension RegisterCommand {
  static var completions: CompletedCommand {
    CompletedCommand(
      "lsregister", options: RegisterFlag.allCases,
      verbs: Verb.allCases.map { verb in
        guard verb == .links else {
          return .init(
            verb.rawValue, summary: verb.summary, options: verb.flags,
            operands: verb.completedOperands)
        }
        return .init(
          verb.rawValue, summary: verb.summary, options: LinksFlag.allCases,
          operands: verb.completedOperands)
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
          "", "Manages the registry of applications. 'lsregister VERB --help' describes one verb.",
          "",
          "The second form is the form of macOS. -f registers PATH or the bundles in the folder PATH",
          "(-r: also in subfolders, -R: also inside bundles); -u unregisters PATH. -kill removes all",
          "registrations by path, -gc only the registrations whose files no longer exist. -seed,"
            + " -domain,",
          "-apps and -all read the application folders again. -lint prints problems, -dump prints what"
            + " 'dump'",
          "prints, and -v prints each action.",
        ])
      help.section("Verbs", Verb.allCases.flatMap { [$0.synopsis, $0.summary] })
      help.options(RegisterFlag.allCases)
    }
    help.section("Exit status", ExitCode.help(no: "a property list has errors"))
    return help
  }
}
