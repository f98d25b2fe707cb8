internal import Commands

/// The options of `lsopen`.
enum OpenFlag: CommandOption {
  case canOpen, explain, quickAction, history, reveal
  case actAs, named, application, url, new, background, hide, fresh, wait, timeout
  case standardInput, standardOutput, standardError, environment, architecture, arguments
  case requestID, noAsk, fromLink, linksOnly
  case verbatim, textEdit, textEditor, fromStandardInput
  case json, completions, help, version

  var spelling: OptionSpelling {
    switch self {
    case .canOpen:
      .init("can-open", help: "print yes or no: is there an application for URL, and may you ask")
    case .explain:
      .init("explain", help: "print step by step what would happen with URL; open nothing")
    case .quickAction:
      .init("quick-action", help: "perform the quick action TYPE of the application ID")
    case .history:
      .init("history", help: "print what became of the last N opens, from 1 to 1,000; without N 20")
    case .reveal:
      .init(
        "reveal", short: "R",
        help: "show the files in the file manager, or with -a or -b alone the application")
    case .actAs: .init("as", .one("ID"), help: "ask or open as the application ID")
    case .named:
      .init(
        "app", short: "a", .one("NAME"),
        help: "open with the application of that name, or the bundle at that path; alone, start it")
    case .application:
      .init(
        "application", short: "b", .one("ID"), help: "open with the application ID; alone, start it"
      )
    case .url:
      .init("url", short: "u", .one("URL"), help: "open URL even when a file has that name")
    case .new: .init("new", short: "n", help: "start a new instance even when one runs")
    case .background:
      .init("background", short: "g", help: "leave the application in the background")
    case .hide:
      .init("hide", short: "j", help: "as --background; a new process is told not to show itself")
    case .fresh:
      .init(
        "fresh", short: "F", help: "a new process is told not to restore what it did last")
    case .wait:
      .init(
        "wait-apps", short: "W",
        help: "wait until the applications used have ended, also those that ran before")
    case .standardInput:
      .init("stdin", short: "i", .one("PATH"), help: "what a new process reads; else nothing")
    case .standardOutput:
      .init("stdout", short: "o", .one("PATH"), help: "what a new process writes is added to it")
    case .standardError:
      .init("stderr", .one("PATH"), help: "the same for its standard error")
    case .timeout:
      .init(
        "timeout", .one("SECONDS"),
        help: "cancel what is not done by then, and wait no longer with -W; there is no limit else")
    case .environment:
      .init("env", .one("NAME=VALUE"), help: "add a variable to a new process; NAME alone is empty")
    case .architecture:
      .init("arch", .one("TYPE"), help: "without effect: programs here have one architecture")
    case .arguments:
      .init(
        "args", .rest("ARGUMENT..."), help: "pass all that follows to a new process; must be last")
    case .requestID:
      .init(
        "request-id", .one("NAME"),
        help: "a name for this open, so that repeating the command does not deliver it twice")
    case .noAsk:
      .init("no-ask", help: "fail where the user would have to confirm the open")
    case .fromLink:
      .init(
        "from-link",
        help: "URL is a link of a web page or a document: ask the user as for a page in a browser")
    case .verbatim:
      .init(
        "verbatim",
        help: "send URL as it is written: percent-encode nothing, and fail when it is not a URL")
    case .textEdit:
      .init("text-edit", short: "e", help: "open with TextEdit, or the default text editor")
    case .textEditor:
      .init("text-editor", short: "t", help: "open with the default text editor")
    case .fromStandardInput:
      .init(
        "from-stdin", short: "f",
        help: "open what is read from standard input, up to 64 MiB, with the default text editor")
    case .linksOnly:
      .init("universal-links-only", help: "fail when no application gets URL as a universal link")
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .completions:
      .init(
        "completions", .one("SHELL"), help: "print the completions for bash, zsh or fish",
        isHidden: true)
    case .help: .init("help", short: "h", help: "print this text")
    case .version: .init("version", help: "print the version")
    }
  }
}
