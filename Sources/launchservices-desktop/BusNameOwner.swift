internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import DesktopEntries
internal import Host

/// The connection that owns a bus name, and its process.
struct BusNameOwner {
  /// Calls go to the unique name, so that they reach this process only, and the bus starts none.
  let connection: BusName
  /// Nil when the process cannot be read.
  let process: ProcessDetails?

  private static let patience: Duration = .seconds(15)
  /// The time for which the bus is expected to notice that a process has ended.
  private static let releaseTime: Duration = .seconds(5)
  private static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
  private static let ping: MemberName = "Ping"

  /// Nil when nothing owns the name.
  ///
  /// A process that has ended owns its names until the bus has noticed the end of its connection. A program that is
  /// started in this time passes its URL to the process that has ended, and reports success. So this method waits until
  /// the bus has noticed the end.
  /// - Throws: when the bus does not notice the end in time.
  static func of(
    _ name: BusName, on session: BusSession
  ) async throws(DesktopFailure) -> BusNameOwner? {
    let deadline = ContinuousClock.now + releaseTime
    while true {
      let found = try? await session.call(MessageBus.nameOwner(name), deadline: patience)
      guard let connection = found?.first?.asString.flatMap({ BusName($0) }) else { return nil }
      let process = await processNumber(of: connection, on: session).flatMap {
        ProcessDetails(of: $0)
      }
      let owner = BusNameOwner(connection: connection, process: process)
      if process?.isRunning == true { return owner }
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else {
        throw DesktopFailure(
          "the process that owns the bus name \(name.text) has ended, and the message bus has not noticed it within"
            + " \(releaseTime.components.seconds) s, so the URL was not sent; try again")
      }
      if await isConnected(connection, within: rest, on: session) { return owner }
    }
  }

  /// Nil when the connection is closed.
  static func processNumber(of connection: BusName, on session: BusSession) async -> Int32? {
    let question = MessageBus.processNumber(of: connection)
    return (try? await session.call(question, deadline: patience))?.first?.asUInt32.flatMap {
      Int32(exactly: $0)
    }
  }

  /// Whether the connection answers. Nothing answers for a process that has ended: the bus returns an error as soon as
  /// it notices the end.
  /// - Returns: false also when there is no answer in time.
  private static func isConnected(
    _ connection: BusName, within time: Duration, on session: BusSession
  ) async -> Bool {
    do throws(BusError) {
      _ = try await session.call(
        .call(to: connection, path: "/", interface: peer, member: ping, []), deadline: time)
      return true
    } catch {
      return !isEnd(error)
    }
  }

  private static func isEnd(_ error: BusError) -> Bool {
    error == .timedOut
      || [.noReply, .nameHasNoOwner, .serviceUnknown, .disconnected].contains(error.name)
  }
}
