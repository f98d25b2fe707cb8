internal import BusContract
internal import DBus
internal import LaunchRules

/// The interface `org.launchservices.Confirmation1`: agents that ask the user, and remembered answers.
final class Confirmation1 {
  private let confirmations: ConfirmationService
  private let registry: () -> Registry

  init(_ confirmations: ConfirmationService, registry: @escaping () -> Registry) {
    self.confirmations = confirmations
    self.registry = registry
  }

  /// Answers a call. The access of the caller has been checked.
  /// - Parameter executable: the caller's program, for the log.
  func answer(
    _ content: IncomingCall, of sender: String, executable: String
  ) throws(BusError) -> Reply {
    switch content {
    case .registerAgent(let path):
      try confirmations.addAgent(at: path, of: sender, executable: executable)
      return .nothing
    case .approvals: return .values([.optionsList(confirmations.approvals.map(\.dictionary))])
    case .setApprovals(let changes):
      for approval in changes {
        let why = ConfirmationRule.objection(toRemembering: approval.key, in: registry())
        if let why { throw .invalidArguments(why) }
      }
      return .later { [confirmations] () async throws(BusError) in
        try await confirmations.set(changes)
        return []
      }
    case .resetApprovals(let opener, let scheme, let handler):
      return .later { [confirmations] () async throws(BusError) in
        let count = try await confirmations.reset(
          opener: opener, scheme: scheme, handler: handler)
        return [.uint32(UInt32(count))]
      }
    default: preconditionFailure("\(content) is not a call of Confirmation1")
    }
  }
}
