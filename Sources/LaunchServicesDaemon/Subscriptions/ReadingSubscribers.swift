internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import Host

/// Reports the progress of reading property lists.
final class ReadingSubscribers {
  /// The progress line on the terminal of the user who started the daemon; nil without a terminal.
  private let progress: ProgressLine?
  /// Returns the session of a connection.
  private let session: (String) -> BusSession
  private var subscribers = Subscribers(limit: 32)

  init(_ progress: ProgressLine?, session: @escaping (String) -> BusSession) {
    self.progress = progress
    self.session = session
  }

  func add(_ caller: IdentifiedCaller) throws(BusError) { try subscribers.add(caller) }

  func left(_ connection: String) { subscribers.remove(connection) }

  func tell(_ read: Int, of found: Int) {
    let (read, found) = (UInt64(read), UInt64(found))
    progress?.show(read, of: found)
    guard !subscribers.isEmpty else { return }
    subscribers.send(
      Contract.readingProgress, of: Contract.registry, [.uint64(read), .uint64(found)],
      session: session)
  }
}
