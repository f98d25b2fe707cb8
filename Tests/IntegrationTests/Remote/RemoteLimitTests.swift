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

  @Test("queries of a remote have a limit, and its opens go on") func queries() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.browser", schemes: ["https"])
      let remote = try world.remoteClient(try await world.addRemote("laptop"))
      var refused: Refusal?
      for _ in 0..<2_000 where refused == nil {
        do throws(Refusal) {
          _ = try await remote.call(Contract.canOpenURL("https://example.com/"))
        } catch { refused = error }
      }
      #expect(
        refused?.name == "org.launchservices.Error.LimitExceeded", "\(String(describing: refused))")
      _ = try await remote.open("https://example.com/")
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
      var refused: [String] = []
      for _ in 0..<20 {
        do {
          let client = try world.remoteClient(socket)
          try await client.ping()
          clients.append(client)
        } catch let refusal as Refusal {
          refused.append("\(refusal.name) \(refusal.text)")
        }
      }
      #expect(clients.count == 16)
      #expect(refused.count == 4)
      for refusal in refused {
        #expect(refusal.contains("Error.LimitExceeded"), "\(refusal)")
        #expect(refusal.contains("remote:laptop has 16 connections"), "\(refusal)")
      }
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

  @Test("the end of a connection that ssh passes on is no message that is too large")
  func ordinaryEnd() async throws {
    try await Testbed.run { world in
      let socket = try await world.addRemote("laptop")
      // ssh closes one direction first.
      let script = """
        import socket, sys
        for greets in [False, True]:
            client = socket.socket(socket.AF_UNIX)
            client.connect(sys.argv[1])
            if greets:
                client.sendall(b"\\0AUTH ANONYMOUS\\r\\n")
                print(client.recv(100).split()[0].decode())
                client.sendall(b"BEGIN\\r\\n")
            client.shutdown(socket.SHUT_WR)
            print(len(client.recv(100)))
        """
      let other = try world.startProcess("/usr/bin/python3", ["-c", script, socket])
      #expect(try await other.hasEnded() == "exited with code 0", "\(other.lines)")
      #expect(other.lines == ["0", "OK", "0"])
      let daemon: ObservedProcess = world.daemon
      try await world.stopDaemon()
      #expect(
        !daemon.lines.contains { $0.contains("it sent a message larger") },
        "\(daemon.lines)")
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
