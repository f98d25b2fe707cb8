/// A command of xdg-utils whose name `lsopen` can be started under, through a link in a folder of `PATH`.
enum XDGUtility: String, CaseIterable {
  case open = "xdg-open"
  case mime = "xdg-mime"
  case settings = "xdg-settings"

  /// - Parameter invocation: the first element of the argument vector, a name or path.
  init?(invocation: String) {
    guard let slash = invocation.lastIndex(of: "/") else {
      self.init(rawValue: invocation)
      return
    }
    self.init(rawValue: String(invocation[invocation.index(after: slash)...]))
  }

  /// The exit status of the commands of xdg-utils, as in their manual pages.
  enum Status: Int32 {
    case success = 0
    case syntaxError = 1
    case noSuchFile = 2
    case toolMissing = 3
    case failed = 4
  }

  /// How a command line ends.
  enum Outcome: Equatable {
    case status(Status)
    /// The next command of the same name in `PATH` is to perform the command line, because the daemon was not
    /// asked and will not be.
    /// - otherwise: the status, and the reason to print, if there is no other command.
    case passOn(otherwise: Status, reason: String)
    /// The program for desktops performs these arguments.
    case performOnDesktop([String])
  }
}
