import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Each connection that did not read its replies took a megabyte of the daemon and a turn before every other caller.
@Suite("Attack: replies that nobody reads", .timeLimit(.minutes(30)))
@MainActor struct AttackUnreadRepliesTests {
  @Test("Many connections of one process take the memory and the turns of one caller")
  func direct() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:0").outcome == .deliveredCold)
      let other = try await world.newDirectClient()
      try await other.ping()
      let before = try world.daemonDescriptors()
      let attack = try await DirectTests.attack("unread", world)
      try await attack.line(containing: "full: 30")
      for number in 1...50 {
        try await other.ping()
        #expect(try await other.open("photos:\(number)").outcome == .deliveredWarm)
      }
      #expect(try DirectTests.residentMegabytes(world.daemon.pid) < 48)
      attack.signal(SIGKILL)
      _ = try await attack.hasEnded()
      try await world.daemonDescriptors(comeBackTo: before)
      withExtendedLifetime(other) {}
    }
  }

  @Test("A message that is too large ends its connection, and both sides say so")
  func tooLarge() async throws {
    try await Testbed.run { world in
      let connection = try Connection(
        socket: try await DirectTests.socket(of: world), within: .seconds(20))
      let error = #expect(throws: BusError.self) {
        _ = try connection.callAndWait(
          Contract.openURL("photos:" + String(repeating: "x", count: 3 << 20)), milliseconds: 20_000
        )
      }
      #expect(error?.text.hasSuffix("bytes, and a direct connection takes at most 2097152") == true)
      try await world.daemon.line(containing: "it sent a message larger than 2 MiB")
    }
  }

  @Test("Many connections of a process cannot each have a large message half sent")
  func manyLarge() async throws {
    try await Testbed.run { world in
      // A connection that is still open in the daemon would count towards the limits of this process.
      let before = try world.daemonDescriptors()
      let socket = try await DirectTests.socket(of: world)
      try await world.daemonDescriptors(comeBackTo: before)
      var connections: [Connection] = []
      for number in 1...5 {
        let connection = try Connection(socket: socket, within: .seconds(20))
        _ = try? connection.callAndWait(
          Contract.openURL("nobody:1"), milliseconds: 20_000)
        connections.append(connection)
        // The client looks with another connection whether a process listens, which counts until it has closed.
        try await waitUntil("the end of the other connection") {
          try world.daemonDescriptors().total <= before.total + 2 * number
        }
      }
      let url = "nobody:" + String(repeating: "x", count: 200_000)
      func answer(on connection: Connection) -> ErrorName? {
        do throws(BusError) {
          _ = try connection.callAndWait(Contract.openURL(url), milliseconds: 20_000)
          return nil
        } catch {
          return error.name
        }
      }
      // The connection with which the client looks may count for the fourth one, too.
      #expect(answer(on: connections[2]) == "org.launchservices.Error.ApplicationNotFound")
      #expect(answer(on: connections[4]) != "org.launchservices.Error.ApplicationNotFound")
      try await world.daemon.line(containing: "128 KiB beside four other direct connections")
    }
  }
}
