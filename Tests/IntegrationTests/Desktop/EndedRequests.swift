import BusContract
import DBus
import DBusMainLoop
import Host
import LaunchServicesTesting

/// The requests of a daemon, each as it ends.
@MainActor struct EndedRequests {
  private let session: BusSession
  private let requests: AsyncStream<Options?>
  private let arrivals: AsyncStream<Options?>.Continuation

  init(in world: Testbed) async throws {
    session = BusSession(
      try Connection(address: world.environment["DBUS_SESSION_BUS_ADDRESS"]))
    let (requests, arrivals) = AsyncStream<Options?>.makeStream()
    self.requests = requests
    self.arrivals = arrivals
    session.onSignal = { signal in
      guard signal.member == "RequestEnded", let request = signal.arguments().first?.asOptions
      else { return }
      arrivals.yield(request)
    }
    session.start()
    _ = try await session.call(Contract.monitor())
  }

  /// The next one, when it has ended; nil when none does in time.
  func next(within limit: Duration = Patience.ofTests) async -> Options? {
    let deadline = Deadline(after: limit) { [arrivals] in arrivals.yield(nil) }
    defer { deadline.cancel() }
    for await request in requests { return request }
    return nil
  }
}
