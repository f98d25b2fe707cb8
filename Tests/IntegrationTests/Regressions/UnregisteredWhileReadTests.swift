import BusContract
import DBus
internal import DBusMainLoop
import Glibc
import LaunchServicesTesting
import Testing

/// It was registered again, until the daemon ended: who had read it meanwhile read it once more.
@MainActor @Suite("What is unregistered while it is read again", .timeLimit(.minutes(10)))
struct UnregisteredWhileReadTests {
  @Test("stays so") func staysSo() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"]) {
        $0.place = .registered
      }
      // The daemon takes both at once.
      world.daemon.signal(SIGSTOP)
      world.client.session.send(Contract.reload())
      async let unregistered: Void = world.client.unregister(photos.identifier)
      world.daemon.signal(SIGCONT)
      try await unregistered
      #expect(try await world.client.handlers("photos") == [])
    }
  }
}
