/// The exit status of a command: the numbers of xdg-open, and additionally `no` and `usage`.
package enum ExitCode: Int32, Hashable, Sendable {
  /// Success, or the answer yes.
  case success = 0
  /// The answer no, or a property list with errors.
  case no = 1
  case noSuchFile = 2
  case serviceUnreachable = 3
  case failed = 4
  case usage = 64

  /// The name of an error without a name of its own.
  var error: String {
    switch self {
    case .success, .no, .failed: "Failed"
    case .noSuchFile: "NoSuchFile"
    case .serviceUnreachable: "DaemonUnreachable"
    case .usage: "Usage"
    }
  }

  /// The table at the end of a help text; `no` describes status 1.
  package static func help(no: String) -> [String] {
    [
      "0", "done, or yes",
      "1", no,
      "2", "a file does not exist",
      "3", "launchservicesd cannot be reached",
      "4", "the action failed",
      "64", "the command was written wrongly",
    ]
  }
}

/// The reason why a command failed.
package struct CommandFailure: Error, Hashable, Sendable {
  package let code: ExitCode
  /// A sentence without its full stop, for standard error.
  package let reason: String
  /// The reason as programs know it: an error of the contract without its prefix, such as
  /// `ApplicationNotFound`; the whole name of another error of D-Bus; else one of `ExitCode.error`,
  /// `TimedOut` and `DaemonEnded`.
  package let error: String

  package init(_ code: ExitCode, _ reason: String, error: String? = nil) {
    self.code = code
    self.reason = reason
    self.error = error ?? code.error
  }

  package static func usage(_ reason: String) -> CommandFailure { .init(.usage, reason) }
}
