internal import Commands

extension OpenCommand {
  static var completions: CompletedCommand {
    let address = CompletedOperands([.address])
    return CompletedCommand(
      "lsopen", options: OpenFlag.allCases,
      operands: CompletedOperands(
        [.address, .path, .words([RemoteSessionCommand.word])], [.address, .path],
        after: [(RemoteSessionCommand.word, [[.host], []])]),
      modes: [
        (.canOpen, address), (.explain, address), (.reveal, CompletedOperands([.path])),
        (.quickAction, CompletedOperands([.application], [])), (.history, CompletedOperands([])),
        (.continueActivity, CompletedOperands([.application], [])),
      ])
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
        "lsopen [OPTION]... --on NAME URL...",
        "lsopen --continue ID --on NAME",
        "lsopen --history [-b ID] [N]",
        "lsopen ssh [--name NAME] [OPTION of ssh]... HOST [COMMAND...]",
      ],
      purpose: [
        "",
        "Opens each URL with the application that handles its scheme, starts the application if the",
        "application is not running, and waits until the application has received the URL. An argument",
        "that does not begin with a scheme and ':' is the path of a file; the type of the file"
          + " selects the",
        "application. The files of one application are delivered together; the path of a bundle NAME.app",
        "starts the application. Several arguments are opened in order; the exit status is that of the",
        "first failure. With --json, the command prints one line for each argument.",
        "",
        "--can-open answers what canOpenURL answers: an iOS application may ask about the schemes in its",
        "LSApplicationQueriesSchemes, about the web and about schemes of system applications, and gets no",
        "for all others. --as names the application that asks.",
        "",
        "'lsopen ssh' runs ssh, so that URLs of programs on HOST open here; 'lsopen ssh --help' explains it.",
        "A file that is called ssh is './ssh'.",
        "",
        "--on hands a URL over to a phone by KDE Connect, or opens the URL on a remote by ssh. KDE Connect does",
        "not confirm that the phone has received the URL, so the delivery in the answer is 'handed-over'.",
      ])
    help.options(OpenFlag.allCases)
    help.section("Exit status", ExitCode.help(no: "no, to --can-open"))
    return help
  }
}
