import DBus
import DBusMainLoop
import LaunchServicesTesting
import Testing

/// A file manager that remembers what it was to show.
@MainActor final class FileManagerOnBus {
  private let session: BusSession
  private(set) var shown: [[String]] = []

  init(in world: Testbed) throws {
    session = BusSession(try Connection(address: world.environment["DBUS_SESSION_BUS_ADDRESS"]))
    session.onCall = { [weak self] call in
      guard call.path == "/org/freedesktop/FileManager1", call.member == "ShowItems" else {
        return call.fail(.failed("\(call.member) is unknown"))
      }
      self?.shown.append(call.arguments().first?.asStrings ?? [])
      call.succeed()
    }
    session.start()
    try #require(try session.requestName("org.freedesktop.FileManager1") == .owned)
  }
}
