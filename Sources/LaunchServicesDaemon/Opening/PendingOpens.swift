internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import Records

/// The pending opens.
final class PendingOpens {
  private var opens: [RequestID: PendingOpen] = [:]
  private var byCancellation: [Name: [RequestID]] = [:]
  private var byRequestID: [RequestName: RequestID] = [:]
  /// The opens that hold stream descriptors for a process that is not started yet.
  private var withStreams: Set<RequestID> = []
  private let loads = OpenLoads()
  /// The last number that was given to a request, by this daemon or an earlier one.
  private(set) var lastRequest: UInt64
  private var lastReserved: UInt64
  /// Reserves request numbers, so that the next daemon starts with a greater number, and reports whether that is written.
  private let reserve: (UInt64, @escaping @MainActor (Bool) -> Void) -> Void
  /// Called when an open is added that is not repeated from the record.
  var onAcceptance: (PendingOpen) -> Void = { _ in }

  /// How many numbers are reserved at once.
  static let reservedAtOnce: UInt64 = 1000

  /// - Parameter reserved: numbers that no other daemon uses; nil when none could be reserved.
  init(
    _ reserved: ClosedRange<UInt64>?,
    reserve: @escaping (UInt64, @escaping @MainActor (Bool) -> Void) -> Void
  ) {
    lastRequest = reserved.map { $0.lowerBound - 1 } ?? Self.timeAsNumber
    lastReserved = reserved?.upperBound ?? lastRequest
    self.reserve = reserve
  }

  /// The time in milliseconds, which is greater than any number that was used before.
  private static var timeAsNumber: UInt64 { RequestClock.now / 1000 }

  /// A caller and its identifier for an open.
  private struct Name: Hashable {
    var caller: String
    var id: String
  }

  func nextRequest() -> RequestID {
    lastRequest += 1
    // In good time: the answer comes before the numbers are used.
    if lastRequest + Self.reservedAtOnce / 2 > lastReserved {
      lastReserved = max(lastReserved, lastRequest) + Self.reservedAtOnce
      reserve(lastReserved) { [weak self] isWritten in
        guard !isWritten, let self else { return }
        lastRequest = max(lastRequest, Self.timeAsNumber)
        lastReserved = lastRequest
      }
    }
    return RequestID(lastRequest)
  }

  subscript(_ id: RequestID) -> PendingOpen? { opens[id] }

  func add(_ id: RequestID, _ open: PendingOpen) {
    opens[id] = open
    for wait in open.waits { index(wait, for: id) }
    if let name = open.entry.name { byRequestID[name] = id }
    if open.options.hasStreams { withStreams.insert(id) }
    loads.add(open.usage.load, of: open.usage, for: open.handler)
    open.record("resolved")
    if !open.isRepeated { onAcceptance(open) }
  }

  func record(_ id: RequestID, _ state: String, pid: Int32? = nil) {
    opens[id]?.record(state, pid: pid)
  }

  /// Removes an open, so that its waiting calls can be answered.
  func settle(_ id: RequestID) -> PendingOpen? {
    guard let open = opens.removeValue(forKey: id) else { return nil }
    for wait in open.waits { removeFromIndex(wait, for: id) }
    if let name = open.entry.name { byRequestID[name] = nil }
    releaseStreams(id, open)
    loads.remove(
      AdmissionRule.Load(opens: open.usage.load.opens, bytes: open.usage.load.bytes),
      of: open.usage, for: open.handler)
    return open
  }

  private func releaseStreams(_ id: RequestID, _ open: PendingOpen) {
    guard withStreams.remove(id) != nil else { return }
    loads.remove(
      AdmissionRule.Load(withStreams: open.usage.load.withStreams), of: open.usage,
      for: open.handler)
  }

  /// The load that is compared with the limits when this caller requests one more open.
  func underWay(
    of share: LoadOwner, in groups: [LoadOwner], for handler: BundleIdentifier
  ) -> AdmissionRule.UnderWay {
    loads.underWay(of: share, in: groups, for: handler)
  }

  /// See `PendingOpen.takeOptions`.
  func takeForLaunch(_ id: RequestID, withToken: Bool) -> OpenOptions? {
    guard let open = opens[id] else { return nil }
    let options = open.takeOptions(withToken: withToken)
    releaseStreams(id, open)
    return options
  }

  /// Removes and returns the activation token for the delivery; nil when the token was used already.
  func takeActivationToken(_ id: RequestID) -> String? { opens[id]?.takeActivationToken() }

  func find(sender: String, cancellationID: String) -> [RequestID] {
    byCancellation[Name(caller: sender, id: cancellationID)] ?? []
  }

  /// The opens of a caller, by its name in the history.
  func requests(of caller: String) -> [RequestID] {
    opens.filter { $0.value.entry.caller == caller }.keys.sorted()
  }

  /// The pending open with this name.
  func find(_ name: RequestName) -> RequestID? { byRequestID[name] }

  /// The entries of the parts of the call with this name.
  func parts(of call: RequestName) -> [RequestEntry] {
    byRequestID.compactMap { name, id in name.isPart(of: call) ? opens[id]?.entry : nil }
  }

  /// - Returns: false when too many calls wait for the open.
  func join(_ id: RequestID, _ wait: PendingOpen.Wait) -> Bool {
    guard let open = opens[id], open.waits.count <= Self.mostJoined else { return false }
    open.join(wait)
    index(wait, for: id)
    return true
  }

  /// Removes the calls of this caller from an open if other calls wait for the open, too.
  /// - Parameter isHeard: whether the caller of a reply is still connected.
  /// - Returns: the removed replies; nil when no other call waits.
  func leave(
    _ id: RequestID, sender: String, cancellationID: String, isHeard: (PendingReply) -> Bool
  ) -> [PendingReply]? {
    func isOwn(_ wait: PendingOpen.Wait) -> Bool {
      wait.reply.sender == sender && wait.cancellationID == cancellationID
    }
    guard let open = opens[id], open.waits.contains(where: { !isOwn($0) && isHeard($0.reply) })
    else { return nil }
    for wait in open.waits.filter(isOwn) { removeFromIndex(wait, for: id) }
    return open.removeWaits(where: isOwn)
  }

  /// Whether an open of another call has this cancellation identifier.
  func isTaken(_ cancellationID: String, by reply: PendingReply) -> Bool {
    find(sender: reply.sender, cancellationID: cancellationID).contains { id in
      // Documents of one call may be opened by several applications.
      opens[id]?.waits.contains {
        $0.cancellationID == cancellationID && $0.reply.sender == reply.sender
          && $0.reply.call !== reply.call
      } ?? false
    }
  }

  /// Maximum number of further calls that may repeat a pending request.
  static let mostJoined = 16

  func settleAll() -> [PendingOpen] {
    opens.keys.sorted().compactMap(settle)
  }

  private func index(_ wait: PendingOpen.Wait, for id: RequestID) {
    guard let cancellation = cancellation(of: wait) else { return }
    if byCancellation[cancellation]?.contains(id) == true { return }
    byCancellation[cancellation, default: []].append(id)
  }

  private func removeFromIndex(_ wait: PendingOpen.Wait, for id: RequestID) {
    guard let cancellation = cancellation(of: wait) else { return }
    byCancellation[cancellation]?.removeAll { $0 == id }
    if byCancellation[cancellation]?.isEmpty == true { byCancellation[cancellation] = nil }
  }

  private func cancellation(of wait: PendingOpen.Wait) -> Name? {
    wait.cancellationID.map { Name(caller: wait.reply.sender, id: $0) }
  }
}
