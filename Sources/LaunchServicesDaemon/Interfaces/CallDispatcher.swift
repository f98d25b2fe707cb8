internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules

/// Finds out who calls and whether the caller may, and hands each call of the contract to its interface.
final class CallDispatcher {
  private let identifier: CallerIdentifier
  private let store: RegistryStore
  private let history: RequestHistory
  private let workspace: Workspace1
  private let launch: Launch1
  private let registry: Registry1
  private let confirmations: ConfirmationService
  private let daemonHasBus: Bool
  /// Whether a connection is direct.
  private let isDirect: (String) -> Bool

  init(
    _ identifier: CallerIdentifier, _ store: RegistryStore, _ history: RequestHistory,
    _ workspace: Workspace1, _ launch: Launch1, _ registry: Registry1,
    _ confirmations: ConfirmationService, daemonHasBus: Bool, isDirect: @escaping (String) -> Bool
  ) {
    self.identifier = identifier
    self.store = store
    self.history = history
    self.workspace = workspace
    self.launch = launch
    self.registry = registry
    self.confirmations = confirmations
    self.daemonHasBus = daemonHasBus
    self.isDirect = isDirect
  }

  func answer(_ request: ObjectServer.Request) throws(BusError) -> Reply {
    let call = request.call
    let caller = try identifier.caller(on: call.sender, request.facts)
    try permit(request.content, caller)
    return try answer(request.content, of: caller, call)
  }

  private func permit(_ content: IncomingCall, _ caller: IdentifiedCaller) throws(BusError) {
    do throws(AccessRule.Refusal) {
      try AccessRule.check(
        content.accessKind,
        by: .init(caller, isDirect: isDirect(caller.connection), in: store.registry),
        daemonHasBus: daemonHasBus)
    } catch {
      let error = error.busError
      guard let subject = content.openedSubject else { throw error }
      try history.recordingRefusal(of: history.subject(subject), caller) {
        () throws(BusError) in throw error
      }
    }
  }

  private func answer(
    _ content: IncomingCall, of caller: IdentifiedCaller, _ call: PendingCall
  ) throws(BusError) -> Reply {
    switch content {
    case .canOpenURL, .openURL, .openDocuments, .cancelOpen, .performQuickAction,
      .openApplication, .explain, .history, .monitor, .waitForExit:
      try workspace.answer(content, of: caller, call)
    case .checkIn, .finishLaunching, .retire, .deliverDirectly, .setShortcutItems:
      try launch.answer(content, of: caller, call)
    case .registerAgent, .approvals, .setApprovals, .resetApprovals:
      .values(
        try confirmations.answer(content, of: caller.connection, executable: caller.program))
    default: try registry.answer(content, of: caller)
    }
  }
}
