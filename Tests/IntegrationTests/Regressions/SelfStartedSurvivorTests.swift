import BusContract
import DBus
import LaunchServicesTesting
import Testing

/// An application that the daemon did not start was known only by its connection, so that what it
/// repeated before it had checked in with the next daemon was delivered a second time.
@MainActor @Suite("An application that came by itself", .timeLimit(.minutes(30)))
struct SelfStartedSurvivorTests {
  private static let mail = "com.example.mail"

  @Test("is known to the next daemon before it checks in again") func repeats() async throws {
    try await Testbed.run { world in
      try await world.install(Self.mail, schemes: ["mail"])
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      photos.script.comesBack = .remembering
      // The process of this test owns the bus name, and so is believed to be the application.
      let own = try await world.newClient()
      _ = try await own.call(
        .call(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "RequestName",
          [.string(Self.mail), .uint32(4)]))
      _ = try await own.call(
        Contract.checkIn(CheckInOptions(bundleIdentifier: Self.mail)))
      _ = try await own.call(Contract.finishLaunching(will: nil, did: nil))
      let first = try await own.open("photos:once", requestID: "1")
      #expect(!first.isRepeated)
      try await world.killDaemon()
      try await world.startDaemon()

      let again = try await own.open("photos:once", requestID: "1")

      #expect(again.isRepeated)
      #expect(again.request == first.request)
      #expect(photos.heard().filter { $0 == .opened("photos:once") }.count == 1)
    }
  }
}
