/// What the exit status of ssh says.
package enum SSHStatus: Hashable, Sendable {
  /// The command of the far machine ended with this status, 0 to 254.
  case command(Int32)
  /// ssh failed, or the command ended with 255 or by a signal: ssh does not say which.
  case unknown

  /// - Parameter status: of a process that exited; nil for one that a signal ended.
  package init(_ status: Int32?) {
    guard let status, (0...254).contains(status) else {
      self = .unknown
      return
    }
    self = .command(status)
  }

  /// Whether the shell of the far machine did not find the command.
  package var isCommandMissing: Bool { self == .command(127) }
}
