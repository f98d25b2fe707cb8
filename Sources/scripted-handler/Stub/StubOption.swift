internal import Commands
internal import StubApplications

/// The options of the stand-in program.
enum StubOption: CommandOption {
  case stub, behaviour, log, openTogether, help

  var spelling: OptionSpelling {
    switch self {
    case .stub:
      .init(
        "stub", help: "be the program of the application that the daemon has started; must be first"
      )
    case .behaviour:
      .init(
        "behaviour", .one("WORD[,WORD]..."),
        help:
          "what to do: \(StubBehaviour.Act.names). Words that end in -at-launch, and veto, belong to the"
          + " launch; the others to the first delivery, the second, and so on. The last one counts for all"
          + " further deliveries. By default all are accepted")
    case .log: .init("log", .one("PATH"), help: "append a line of JSON for each call to PATH")
    case .openTogether:
      .init(
        "open-together", help: "get documents that are opened together in one call, as on macOS")
    case .help: .init("help", short: "h", help: "print this text")
    }
  }
}
