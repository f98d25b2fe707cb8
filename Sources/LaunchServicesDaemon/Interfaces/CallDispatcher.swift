internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules

/// Identifies the caller, checks its access, and passes each call of the contract to its interface.
final class CallDispatcher {
  private let identifier: CallerIdentifier
  private let store: RegistryStore
  private let history: RequestHistory
  private let paces: OutsidePaces
  private let workspace: Workspace1
  private let launch: Launch1
  private let registry: Registry1
  private let confirmations: Confirmation1
  private let daemonHasBus: Bool
  /// Whether a connection is direct.
  private let isDirect: (String) -> Bool

  init(
    identifier: CallerIdentifier, store: RegistryStore, history: RequestHistory,
    paces: OutsidePaces, workspace: Workspace1, launch: Launch1, registry: Registry1,
    confirmations: Confirmation1, daemonHasBus: Bool, isDirect: @escaping (String) -> Bool
  ) {
    self.identifier = identifier
    self.store = store
    self.history = history
    self.paces = paces
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
    let access = AccessRule.Caller(
      caller, isDirect: isDirect(caller.connection), in: store.registry)
    try count(request.content, of: caller)
    try permit(request.content, access, caller)
    guard !AccessRule.mayKnowHandler(access.sandboxed) else {
      return try answer(request.content, of: caller, call)
    }
    return try Self.withoutHandler(for: access.sandboxed) { () throws(BusError) in
      try answer(request.content, of: caller, call)
    }
  }

  /// The reply of `body`, with errors that do not identify the handler. Also applies to asynchronous replies.
  private static func withoutHandler(
    for caller: SandboxedCaller?, _ body: () throws(BusError) -> Reply
  ) throws(BusError) -> Reply {
    let reply: Reply
    do throws(BusError) {
      reply = try body()
    } catch {
      throw error.told(to: caller)
    }
    guard case .pendingAfter(let work) = reply else { return reply }
    return .pendingAfter { () async throws(BusError) in
      do throws(BusError) {
        try await work()
      } catch {
        throw error.told(to: caller)
      }
    }
  }

  /// Counts the calls of remotes and outsiders before anything else is done for them, also those that are refused.
  private func count(_ content: IncomingCall, of caller: IdentifiedCaller) throws(BusError) {
    try withBusErrors { () throws(OpenFailure) in
      try paces.count(content.isCountedForRemotes ? .open : .other, of: caller.caller)
    }
  }

  private func permit(
    _ content: IncomingCall, _ access: AccessRule.Caller, _ caller: IdentifiedCaller
  ) throws(BusError) {
    do throws(AccessRule.Refusal) {
      try AccessRule.check(content.accessKind, by: access, daemonHasBus: daemonHasBus)
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
    case .canOpenURL, .openURL, .openDocuments, .cancelOpen, .requestFate, .performQuickAction,
      .openApplication, .explain, .history, .monitor, .waitForExit, .identifyProcess:
      try workspace.answer(content, of: caller, call)
    case .checkIn, .finishLaunching, .retire, .handedOver, .programFailed, .deliverDirectly,
      .setShortcutItems,
      .setCurrentActivity, .currentActivities:
      try launch.answer(content, of: caller, call)
    case .registerAgent, .approvals, .setApprovals, .resetApprovals:
      try confirmations.answer(
        content, of: caller.connection, executable: caller.program)
    default: try registry.answer(content, of: caller)
    }
  }
}
