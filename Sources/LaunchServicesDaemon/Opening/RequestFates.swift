internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules
internal import Records

/// Answers what has become of an open with a `request-id`. What was never seen is refused from then on: the record gets
/// an entry without handler, which is the answer to every later request of this name.
final class RequestFates {
  private let registry: RegistryStore
  private let remotes: RemoteStore
  private let requests: RequestStore
  private let opens: PendingOpens
  private let history: RequestHistory
  /// Cancels a pending open.
  private let cancel: (RequestID) -> Void

  init(
    _ registry: RegistryStore, _ remotes: RemoteStore, _ requests: RequestStore,
    _ opens: PendingOpens,
    _ history: RequestHistory, cancel: @escaping (RequestID) -> Void
  ) {
    self.registry = registry
    self.remotes = remotes
    self.requests = requests
    self.opens = opens
    self.history = history
    self.cancel = cancel
  }

  /// - Parameter isCancelled: whether to cancel a pending open whose delivery has not begun.
  func answer(
    _ id: String, isCancelled: Bool, _ caller: IdentifiedCaller
  ) throws(BusError) -> Reply {
    guard let name = try caller.requestName(id, in: registry.registry, remotes) else {
      return .nothing
    }
    let opener = registry.registry.sandboxed(caller.caller)
    return .later { [self] in
      if isCancelled, let pending = opens.find(name), opens[pending]?.wasHandedOver == false {
        cancel(pending)
      }
      return [.options(await fate(of: name, caller, opener))]
    }
  }

  private func fate(
    of name: RequestName, _ caller: IdentifiedCaller, _ opener: SandboxedCaller?
  ) async -> Options {
    if let pending = pending(name) { return Self.state(pending) }
    let found = await requests.find(name, isRepeated: true)
    // The open may have arrived during the lookup.
    if let pending = pending(name) { return Self.state(pending) }
    switch found {
    case .entry(let entry) where entry.progress == .settled:
      return Self.settled(entry, opener)
    case .entry(let entry) where entry.progress == .delivering: return Self.state(.unknown)
    // The daemon that accepted the open has ended before the delivery.
    case .entry(let entry): return Self.state(await refuse(entry))
    case .never: return Self.state(await refuse(history.newEntry(name, caller)))
    case .unknown: return Self.state(.unknown)
    }
  }

  private func pending(_ name: RequestName) -> RequestFate.State? {
    guard let pending = opens.find(name), let open = opens[pending] else { return nil }
    return open.wasHandedOver ? .delivering : .accepted
  }

  private func refuse(_ entry: RequestEntry) async -> RequestFate.State {
    await history.recordRefusedFromNowOn(entry) ? .refused : .unknown
  }

  private static func state(_ state: RequestFate.State) -> Options {
    [Key.state: .string(state.rawValue)]
  }

  private static func settled(_ entry: RequestEntry, _ opener: SandboxedCaller?) -> Options {
    // The opener has asked before, and the answer stays the same.
    if entry.isRefusedFromNowOn { return state(.refused) }
    var answer = state(.settled)
    if let receipt = Receipt(entry) {
      answer[RequestFate.receiptKey] = .options(
        receipt.dictionary(AccessRule.receiptExtent(for: opener)))
    } else {
      let told = OpenFailure.busError(named: entry.fate ?? "", entry.detail ?? "").told(to: opener)
      answer[RequestFate.errorKey] = .string(Contract.shortName(of: told))
      answer[RequestFate.messageKey] = .string(told.text)
    }
    return answer
  }
}

extension Receipt {
  /// The receipt of a request in the record; nil when the request has failed or has no result.
  init?(_ entry: RequestEntry) {
    guard let fate = entry.fate, let delivery = OpenOutcome.Delivery(rawValue: fate),
      let launch = entry.launch.flatMap(OpenOutcome.Launch.init)
    else { return nil }
    self.init(
      request: entry.number, handler: entry.handler,
      outcome: OpenOutcome(launch, delivery, handled: entry.handled),
      pid: UInt32(clamping: entry.pid), trail: entry.trail, isRepeated: true)
  }
}

nonisolated extension RequestEntry {
  /// Whether the entry only refuses requests of its name.
  var isRefusedFromNowOn: Bool {
    progress == .settled && fate == OpenFailure.cancelled("").name
      && detail == RequestHistory.refusedFromNowOn.text
  }
}
