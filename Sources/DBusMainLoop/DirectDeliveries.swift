package import DBus

/// A direct connection on which a handler receives deliveries without the bus.
///
/// The handler has checked in over the bus, and receives deliveries over the bus if no direct connection is agreed.
/// Calls on the direct connection wait until all calls that were sent over the bus have arrived.
@MainActor package final class DirectDeliveries {
  private let session: BusSession
  private let answer: @MainActor (PendingCall) -> Void
  /// Calls that arrived before the last call over the bus; nil when no more can arrive.
  private var early: [PendingCall]? = []

  /// - Parameters:
  ///   - connection: to the socket of the service; see `connect`.
  ///   - bus: the connection that has checked in.
  ///   - offer: the call that offers the direct connection to the service, and confirms its use when sent again.
  ///   - settled: called once, with whether the service uses the direct connection.
  ///   - answer: receives each call of the service.
  package init(
    on connection: sending Connection, besides bus: BusSession, offer: @escaping () -> Message,
    settled: @escaping @MainActor (Bool) -> Void = { _ in },
    answer: @escaping @MainActor (PendingCall) -> Void
  ) {
    session = BusSession(connection)
    self.answer = answer
    session.onCall = { [weak self] in self?.received($0) }
    session.start()
    session.call(offer(), deadline: nil) { [weak self, weak bus] offered in
      guard let bus, case .success = offered else { return settled(false) }
      // The reply comes over the bus from the owner of the service's name, so that owner listens at the socket.
      bus.call(offer(), deadline: nil) { [weak self] taken in
        let isTaken = (try? taken.get())?.first == .boolean(true)
        if isTaken { self?.begin() } else { self?.stop() }
        settled(isTaken)
      }
    }
  }

  /// Connects on another thread, because connecting to a hung service takes a second.
  /// - Parameter path: of the socket; see `DirectSocket`.
  /// - Returns: nil when no process listens at the socket.
  @concurrent package nonisolated static func connect(_ path: String) async -> sending Connection? {
    try? Connection(socket: path)
  }

  private func received(_ call: PendingCall) {
    if early == nil { answer(call) } else { early?.append(call) }
  }

  private func begin() {
    let calls = early ?? []
    early = nil
    for call in calls { answer(call) }
  }

  private func stop() {
    session.stop()
    early = nil
  }
}
