/// Why the port of a login callback, or of a page of a program there, is not forwarded to a remote. The page opens all the
/// same.
package enum CallbackProblem: String, Hashable, Sendable, CaseIterable {
  /// The user has not allowed the remote its callbacks.
  case notAllowed = "not-allowed"
  /// No connection of `lsopen ssh` leads to the remote.
  case notConnected = "not-connected"
  /// A program of the machine with the browser listens at the port.
  case portInUse = "port-in-use"
  /// The remote has as many ports as one may have.
  case tooManyPorts = "too-many-ports"
  /// ssh did not forward the port.
  case failed = "failed"

  private static let prefix = "callback-not-forwarded-"

  /// The step of the trail.
  package var step: String { Self.prefix + rawValue }

  /// Nil for another step.
  package init?(step: String) {
    guard step.hasPrefix(Self.prefix) else { return nil }
    self.init(rawValue: String(step.dropFirst(Self.prefix.count)))
  }

  /// What the opener on the remote reads: the reason, and the next step. Without its full stop.
  package var sentence: String {
    let rest =
      switch self {
      case .notAllowed:
        "no ports are forwarded to this machine; on the machine with the browser, run"
          + " 'lsregister remote allow-callback NAME' ('lsregister remote list' there shows the NAME), and open the"
          + " URL again"
      case .notConnected:
        "no connection of 'lsopen ssh' leads from the machine with the browser to this one; on the machine with"
          + " the browser, connect with 'lsopen ssh HOST', or run 'ssh -L PORT:localhost:PORT HOST'"
      case .portInUse:
        "a program of the machine with the browser uses the same port; let the program here use another port,"
          + " or end the program there, and open the URL again"
      case .tooManyPorts:
        "as many ports as are allowed are forwarded to this machine; end the programs here that wait for another"
          + " login, and open the URL again"
      case .failed:
        "ssh did not forward the port; on the machine with the browser, run"
          + " 'ssh -L PORT:localhost:PORT HOST'"
      }
    return
      "the page was opened, but the browser does not reach the port of this machine that the URL names: \(rest)"
  }
}
