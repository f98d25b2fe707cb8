internal import Commands

extension OpenCommand {
  static var completions: CompletedCommand {
    CompletedCommand("lsopen", options: OpenFlag.allCases, operand: .path)
  }

  static var help: HelpText {
    var help = HelpText(
      usage: [
        "lsopen [OPTION]... URL|PATH... [--args ARGUMENT...]",
        "lsopen [OPTION]... (-a NAME | -b ID) [--args ARGUMENT...]",
        "lsopen -f [OPTION]... <TEXT",
        "lsopen -R (PATH... | -a NAME | -b ID)",
        "lsopen --can-open [--as ID] [-b ID] URL",
        "lsopen --explain [--as ID] [-b ID] URL",
        "lsopen --quick-action [OPTION]... ID TYPE",
        "lsopen --history [-b ID] [N]",
      ],
      purpose: [
        "",
        "Opens each URL with the application that handles its scheme, starts the application when it",
        "does not run, and waits until the URL has arrived. What does not begin with a scheme and ':'",
        "is the path of a file, whose type decides; files of one application arrive together, and that",
        "of a bundle NAME.app launches the application. Several are opened in order; the exit status is",
        "that of the first that failed. With --json there is one line for each.",
        "",
        "To --can-open only an application that declared the scheme gets a yes: name one with --as.",
      ])
    help.options(OpenFlag.allCases)
    help.section("Exit status", ExitCode.help(no: "no, to --can-open"))
    return help
  }
}
