internal import Commands

/// The options of `lsopen`.
enum OpenFlag: CommandOption {
  case canOpen, explain, quickAction
  case actAs, application, new, background, timeout, environment, arguments
  case requestID
  case json, help, version

  var spelling: OptionSpelling {
    switch self {
    case .canOpen:
      .init("can-open", help: "print yes or no: is there an application for URL, and may you ask")
    case .explain:
      .init("explain", help: "print step by step what would happen with URL; open nothing")
    case .quickAction:
      .init("quick-action", help: "perform the quick action TYPE of the application ID")
    case .actAs: .init("as", .one("ID"), help: "ask or open as the application ID")
    case .application:
      .init("application", short: "b", .one("ID"), help: "open with the application ID")
    case .new: .init("new", short: "n", help: "start a new instance even when one runs")
    case .background:
      .init("background", short: "g", help: "leave the application in the background")
    case .timeout:
      .init(
        "timeout", .one("SECONDS"),
        help: "cancel what is not done by then; opens have no limit else")
    case .environment:
      .init("env", .one("NAME=VALUE"), help: "add a variable to a new process; NAME alone is empty")
    case .arguments:
      .init(
        "args", .rest("ARGUMENT..."), help: "pass all that follows to a new process; must be last")
    case .requestID:
      .init(
        "request-id", .one("ID"),
        help: "a name for this open, so that repeating the command does not deliver it twice")
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .help: .init("help", short: "h", help: "print this text")
    case .version: .init("version", help: "print the version")
    }
  }
}
