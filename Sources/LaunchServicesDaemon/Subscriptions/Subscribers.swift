internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

/// The connections that subscribe to a signal. The signal is sent to each of them by name, so that no other
/// connection receives it.
struct Subscribers {
  private let limit: Int
  private var entries: [(connection: String, share: CallerShare)] = []

  /// - Parameter limit: maximum number of connections.
  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { entries.isEmpty }

  /// - Throws: LimitExceeded, when the caller or all callers together have too many subscribed connections.
  mutating func add(_ caller: IdentifiedCaller) throws(BusError) {
    guard !entries.contains(where: { $0.connection == caller.connection }) else { return }
    let share = caller.share
    let refusal = WatchAdmission.refusal(
      ofCaller: entries.count { $0.share == share }, all: entries.count, most: limit)
    if let refusal { throw refusal.busError }
    entries.append((caller.connection, share))
  }

  mutating func remove(_ connection: String) { entries.removeAll { $0.connection == connection } }

  /// - Parameter session: returns the session of a connection.
  func send(
    _ signal: MemberName, of interface: InterfaceName, _ arguments: [Value],
    session: (String) -> BusSession
  ) {
    for entry in entries {
      session(entry.connection).send(
        .signal(
          path: Contract.objectPath, interface: interface, member: signal, arguments,
          to: BusName(entry.connection)))
    }
  }
}
