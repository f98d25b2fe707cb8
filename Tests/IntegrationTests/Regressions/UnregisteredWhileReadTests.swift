import BusContract
import DBus
import DBusMainLoop
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// It was registered again, until the daemon ended: who had read it meanwhile read it once more.
@MainActor @Suite("What is unregistered while it is read again", .timeLimit(.minutes(30)))
struct UnregisteredWhileReadTests {
  @Test("stays so") func staysSo() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"]) {
        $0.place = .registered
      }
      let watcher = try Connection(address: world.environment["DBUS_SESSION_BUS_ADDRESS"])
      _ = try watcher.callAndWait(Contract.watchReading())
      // Read in one round, which takes a while.
      world.daemon.signal(SIGSTOP)
      try await ReadingProgressTests.putMany(into: world)
      let list = world.propertyList(of: photos)
      try Data(contentsOf: URL(filePath: list)).write(to: URL(filePath: list))
      world.daemon.signal(SIGCONT)
      var isUnregistered = false
      _ = try watcher.callAndWait(Contract.reload(), milliseconds: 60_000) { _, _ in
      } hearing: { signal in
        guard signal.member == Contract.readingProgress.text, !isUnregistered else { return }
        world.client.session.send(Contract.unregisterApplication(photos.identifier))
        world.client.session.connection?.flush()
        isUnregistered = true
      }
      #expect(isUnregistered)
      #expect(try await world.client.handlers("photos") == [])
    }
  }
}
