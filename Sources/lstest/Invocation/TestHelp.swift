internal import Commands

extension TestCommand {
  static var help: HelpText {
    var help = HelpText(
      usage: TestVerb.allCases.map { "lstest \($0.synopsis)" },
      purpose: [
        "Tests deep links: opens URLs in a world of its own, with a daemon, folders and applications that the machine"
          + " does not see, and compares what each application gets with what a scenario expects.",
        "",
        "An application without a program gets a stand-in. Nothing asks a web site.",
      ])
    help.section("Verbs", TestVerb.allCases.flatMap { [$0.rawValue, $0.summary] })
    help.options(TestFlag.allCases)
    help.section("Exit status", TestStatus.help)
    help.section("See also", ["lstest(1)", "the format of scenarios, and examples"])
    return help
  }

  static let completions = CompletedCommand(
    "lstest", options: TestFlag.allCases,
    verbs: TestVerb.allCases.map {
      CompletedCommand.Verb(
        $0.rawValue, summary: $0.summary, options: $0.flags, operands: CompletedOperands([.path]))
    })
}
