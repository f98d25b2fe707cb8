import BusContract
import DBus
import DBusMainLoop
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// A remote cannot hurt the user's own programs.
@MainActor @Suite("Limits of remotes", .timeLimit(.minutes(30)))
struct RemoteLimitTests {
  @Test(
    "of 10,000 opens at once, 30 a minute are done, the others are refused, and bystanders go on")
  func burst()
    async throws
  {
    try await Testbed.run { world in
      let browser = try await world.install("com.example.browser", schemes: ["https"])
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.open("photos:first")
      _ = photos.heard()
      let remote = try world.remoteClient(try await world.addRemote("laptop"))
      let start = ContinuousClock.now
      let opens = (0..<10_000).map { remote.opening("https://example.com/\($0)") }
      for number in 0..<100 {
        #expect(try await world.client.open("photos:\(number)").outcome == .deliveredWarm)
      }
      var (done, refused) = (0, 0)
      for open in opens {
        do throws(Refusal) {
          _ = try await open.receipt()
          done += 1
        } catch {
          #expect(error.name == "org.launchservices.Error.LimitExceeded", "\(error)")
          refused += 1
        }
      }
      // One more each 2 s.
      let most = 31 + Int((ContinuousClock.now - start) / .seconds(2))
      #expect((30...most).contains(done))
      #expect(refused == 10_000 - done)
      let arrived = browser.heard().count { if case .opened = $0 { true } else { false } }
      #expect(arrived == done)
      // The other remote has a pace of its own.
      let other = try world.remoteClient(try await world.addRemote("other"))
      _ = try await other.open("https://example.com/")
      // What was refused for the limit is not in the record.
      #expect(try await world.history().count < 300)
    }
  }

  @Test("a URL of 10 MB is refused by lsopen, and ends the connection of another client")
  func large()
    async throws
  {
    try await Testbed.run { world in
      let browser = try await world.install("com.example.browser", schemes: ["https"])
      let socket = try await world.addRemote("laptop")
      let url = "https://example.com/" + String(repeating: "x", count: 10 << 20)
      let remote = try world.remoteClient(socket)
      try await remote.ping()
      await #expect(throws: Refusal.self) { _ = try await remote.open(url) }
      // An argument of a process has at most 128 KiB.
      let (end, lines) = try await world.lsopen(
        through: socket, ["https://example.com/" + String(repeating: "x", count: 131_000)])
      #expect(end == "exited with code 4")
      #expect(
        lines.first?.contains("from another machine or a container at most 131072") == true,
        "\(lines.first?.prefix(200) ?? "")")
      #expect(
        try await world.lsopen(through: socket, ["https://example.com/1"]).end
          == "exited with code 0")
      try await browser.next(.opened("https://example.com/1"))
    }
  }

  @Test("many connections of a remote leave the places of the user's programs free")
  func connections()
    async throws
  {
    try await Testbed.run { world in
      let socket = try await world.addRemote("laptop")
      var clients: [TestClient] = []
      var refused = 0
      for _ in 0..<20 {
        do {
          let client = try world.remoteClient(socket)
          try await client.ping()
          clients.append(client)
        } catch {
          refused += 1
        }
      }
      #expect(clients.count == 16)
      #expect(refused == 4)
      // Connections that were refused do not count.
      let remotes = try await world.client.call(Contract.remotes()).first?.asOptionsList
      #expect(remotes?.first?["connections"] == .uint32(16))
      try await world.newDirectClient().ping()
      // A place is free again when a connection has ended.
      clients.removeLast().session.connection?.close()
      try await waitUntil("a free place") {
        guard let client = try? world.remoteClient(socket) else { return false }
        return (try? await client.ping()) != nil
      }
    }
  }

  @Test("bytes that are no D-Bus end the connection, and nothing else") func garbage() async throws
  {
    try await Testbed.run { world in
      let seed = UInt64.random(in: 0...9999)
      let socket = try await world.addRemote("laptop")
      let attack = try world.startProcess(
        "/usr/bin/python3", [Fixture.path("remote-garbage.py"), socket, "\(seed)"])
      #expect(try await attack.hasEnded() == "exited with code 0", "seed \(seed): \(attack.lines)")
      let remote = try world.remoteClient(socket)
      try await remote.ping()
    }
  }
}
