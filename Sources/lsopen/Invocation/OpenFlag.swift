internal import Commands

/// The options of `lsopen`.
enum OpenFlag: CommandOption {
  case canOpen, explain, quickAction, history, reveal, continueActivity
  case actAs, applicationName, application, device, url, new, background, hide, fresh, wait, timeout
  case standardInput, standardOutput, standardError, environment, architecture, arguments
  case requestID, noAsk, fromLink, linksOnly
  case verbatim, textEdit, textEditor, fromStandardInput
  case json, completions, help, version

  var spelling: OptionSpelling {
    switch self {
    case .canOpen:
      .init(
        "can-open",
        help:
          "print yes if an application can open URL and the caller may ask about the scheme, otherwise no"
      )
    case .explain:
      .init("explain", help: "print each step of the decision about URL, without opening URL")
    case .quickAction:
      .init("quick-action", help: "perform the quick action TYPE of the application ID")
    case .history:
      .init("history", help: "print the results of the last N opens (1 to 1,000; default 20)")
    case .continueActivity:
      .init(
        "continue",
        help: "open the web page of the current activity of the application ID on the device --on")
    case .reveal:
      .init(
        "reveal", short: "R",
        help:
          "show the files in the file manager; without files, show the application named by -a or -b"
      )
    case .actAs: .init("as", .one("ID"), help: "send the query or the open as the application ID")
    case .applicationName:
      .init(
        "app", short: "a", .one("NAME"),
        help:
          "open with the application NAME, which may be the path of a bundle; without URL or"
          + " PATH, start the application",
        offers: [.name, .path]
      )
    case .application:
      .init(
        "application", short: "b", .one("ID"),
        help: "open with the application ID; without URL or PATH, start the application"
      )
    case .device:
      .init(
        "on", .one("NAME"),
        help: "hand URL over to the device NAME, which 'lsregister devices' lists")
    case .url:
      .init("url", short: "u", .one("URL"), help: "open URL even if a file has the same name")
    case .new:
      .init(
        "new", short: "n", help: "start a new instance of a macOS application even if it is running"
      )
    case .background:
      .init("background", short: "g", help: "open without bringing the application to the front")
    case .hide:
      .init("hide", short: "j", help: "like --background, and tell a new process to start hidden")
    case .fresh:
      .init(
        "fresh", short: "F", help: "tell a new process not to restore its previous state")
    case .wait:
      .init(
        "wait-apps", short: "W",
        help:
          "wait until all applications that received an open have ended, even if they were running before"
      )
    case .standardInput:
      .init(
        "stdin", short: "i", .one("PATH"),
        help: "read the standard input of a new process from PATH (default: no input)")
    case .standardOutput:
      .init(
        "stdout", short: "o", .one("PATH"),
        help: "append the standard output of a new process to PATH")
    case .standardError:
      .init("stderr", .one("PATH"), help: "append the standard error of a new process to PATH")
    case .timeout:
      .init(
        "timeout", .one("SECONDS"),
        help: "cancel unfinished opens, and stop waiting for -W, after SECONDS (default: no limit)")
    case .environment:
      .init(
        "env", .one("NAME=VALUE"),
        help: "set an environment variable for a new process; NAME alone sets an empty value")
    case .architecture:
      .init(
        "arch", .one("TYPE"),
        help: "accepted for compatibility, without effect, because programs have one architecture")
    case .arguments:
      .init(
        "args", .rest("ARGUMENT..."),
        help: "pass all following arguments to a new process; must be the last option")
    case .requestID:
      .init(
        "request-id", .one("NAME"),
        help: "name this open, so that a repetition of the command does not deliver URL twice")
    case .noAsk:
      .init("no-ask", help: "fail if the user would have to confirm the open")
    case .fromLink:
      .init(
        "from-link",
        help:
          "treat URL as a link from a web page or a document, and ask the user as for a link in a browser"
      )
    case .verbatim:
      .init(
        "verbatim",
        help: "send URL unchanged, without percent-encoding, and fail if URL is not valid")
    case .textEdit:
      .init("text-edit", short: "e", help: "open with TextEdit, or the default text editor")
    case .textEditor:
      .init("text-editor", short: "t", help: "open with the default text editor")
    case .fromStandardInput:
      .init(
        "from-stdin", short: "f",
        help: "open the text from standard input (at most 64 MiB) with the default text editor")
    case .linksOnly:
      .init("universal-links-only", help: "fail if no application receives URL as a universal link")
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .completions: .completions
    case .help: .init("help", short: "h", help: "print this text")
    case .version: .version
    }
  }
}
