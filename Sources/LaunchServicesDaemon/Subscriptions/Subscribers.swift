internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

/// The connections that subscribe to a signal. The signal is sent to each of them by name, so that no other
/// connection receives it.
struct Subscribers {
  private struct Entry {
    let connection: String
    let share: LoadOwner
    let groups: [LoadOwner]
  }

  private let admission: WatchAdmission
  private var entries: [Entry] = []

  /// - Parameter limit: maximum number of connections.
  init(limit: Int) { admission = WatchAdmission(most: limit) }

  var isEmpty: Bool { entries.isEmpty }

  /// - Throws: LimitExceeded, when the caller, a group that it belongs to, or all callers together have too many
  ///   subscribed connections.
  mutating func add(_ caller: IdentifiedCaller) throws(BusError) {
    guard !entries.contains(where: { $0.connection == caller.connection }) else { return }
    let entry = Entry(connection: caller.connection, share: caller.share, groups: caller.groups)
    let refusal = admission.refusal(
      ofCaller: entries.count { $0.share == entry.share },
      ofGroups: entry.groups.map { group in
        entries.count { $0.groups.contains(group) }
      }, all: entries.count)
    if let refusal { throw refusal.busError }
    entries.append(entry)
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
