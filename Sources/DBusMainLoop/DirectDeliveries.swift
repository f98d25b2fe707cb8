package import DBus

/// The way of a handler to hear from the service with no bus between.
///
/// The handler has checked in over the bus, and goes on hearing from it there where this does not come about.
/// What comes directly waits until all that was sent over the bus has come.
@MainActor package final class DirectDeliveries {
  private let session: BusSession
  private let answer: @MainActor (PendingCall) -> Void
  /// What came too early; nil when nothing can any more.
  private var early: [PendingCall]? = []

  /// - Parameters:
  ///   - connection: to the socket of the service; see `connect`.
  ///   - bus: the connection that has checked in.
  ///   - offer: the call that offers this to the service, and then takes it up.
  ///   - settled: called once, with whether the service has agreed.
  ///   - answer: gets each call of the service.
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
      // Only the service itself can say there that it is the one behind the socket.
      bus.call(offer(), deadline: nil) { [weak self] taken in
        let isTaken = (try? taken.get())?.first == .boolean(true)
        if isTaken { self?.begin() } else { self?.stop() }
        settled(isTaken)
      }
    }
  }

  /// Connects on another thread: a service that hangs keeps who connects waiting for a second.
  /// - Parameter path: of the socket; see `DirectSocket`.
  /// - Returns: nil where nobody listens.
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
