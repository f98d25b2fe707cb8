import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// What a machine that is reached by ssh may not do.
@MainActor
@Suite(
  "Limits of a machine behind ssh",
  .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"), .timeLimit(.minutes(30)))
struct FarMachineLimitTests {
  /// Runs a session in which the far machine waits, and gives the path of its socket there.
  private func withSession(
    _ world: Testbed, _ far: FarMachine, name: String = "far",
    _ body: @MainActor (_ socket: String) async throws -> Void
  ) async throws {
    let session = try far.start(
      "lsopen", ["ssh", "--name", name, "far", "echo $LAUNCH_SERVICES_REMOTE; exec sleep 1000"])
    let socket = try await session.line(containing: far.runtimeFolder)
    try await body(socket)
    session.signal(SIGTERM)
    _ = try await session.hasEnded()
  }

  @Test("Files, applications, other identities and the registry are refused, with the reason")
  func refused() async throws {
    try await FarMachine.run { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await withSession(world, far) { socket in
        for (command, reason) in [
          ("lsopen file:///etc/hostname", "never opened for a remote"),
          ("lsopen /etc/hostname", "never opened for a remote"),
          ("xdg-open /etc/hostname", "never opened for a remote"),
          (
            "lsopen -b com.example.photos https://example.com/",
            "may not use option '--application'"
          ),
          ("lsopen --as com.example.photos https://example.com/", "the caller is remote:far"),
          ("lsopen javascript:alert", "never opened for a remote"),
          ("lsopen --env A=B https://example.com/", "may not use option '--env'"),
          ("lsopen --history", "may only open URLs"),
        ] {
          let (lines, end) = try await far.ssh("LAUNCH_SERVICES_REMOTE=\(socket) \(command)")
          #expect(end == "exited with code 4", "\(command): \(lines)")
          #expect(lines.contains { $0.contains(reason) }, "\(command): \(lines)")
        }
      }
      #expect(photos.heard().isEmpty)
    }
  }

  @Test(
    "An unlisted scheme asks the user, who sees the name of the remote", arguments: [true, false])
  func asked(allows: Bool) async throws {
    try await FarMachine.run { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let agent = try await world.confirmationAgent()
      let session = try far.start("lsopen", ["ssh", "far", "lsopen photos:1"])
      let question = try await agent.isAsked()
      #expect("\(question)".contains("remote:far"), "\(question)")
      agent.answer(allows)
      #expect(try await session.hasEnded() == "exited with code \(allows ? 0 : 4)")
      if allows {
        try await photos.next(.opened("photos:1"))
      } else {
        #expect(session.lines.contains { $0.contains("declined") }, "\(session.lines)")
      }
      #expect(photos.heard().isEmpty)
    }
  }

  @Test("Of 2,000 opens at once, 30 a minute arrive, the others are told of the limit")
  func burst() async throws {
    try await FarMachine.run { world, far in
      let browser = try await world.installBrowser()
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.open("photos:first")
      _ = photos.heard()
      try await withSession(world, far) { socket in
        let remote = try world.remoteClient(socket)
        let start = ContinuousClock.now
        let opens = (0..<2_000).map { remote.opening("https://example.com/\($0)") }
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
        let minutes = (ContinuousClock.now - start) / .seconds(60)
        #expect(done >= 30)
        #expect(Double(done) <= 30 * (minutes + 1))
        #expect(refused == 2_000 - done)
        let arrived = browser.heard().count { if case .opened = $0 { true } else { false } }
        #expect(arrived == done)
      }
    }
  }

  @Test("A URL of 10 MB ends the connection that sent it, and no other") func large() async throws {
    try await FarMachine.run { world, far in
      let browser = try await world.installBrowser()
      try await withSession(world, far) { socket in
        let remote = try world.remoteClient(socket)
        try await remote.ping()
        let url = "https://example.com/" + String(repeating: "x", count: 10 << 20)
        await #expect(throws: Refusal.self) { _ = try await remote.open(url) }
        let (lines, end) = try await far.ssh(
          "LAUNCH_SERVICES_REMOTE=\(socket) lsopen https://example.com/1")
        #expect(end == "exited with code 0", "\(lines)")
        try await browser.next(.opened("https://example.com/1"))
      }
    }
  }

  @Test("Each machine has its own socket and rights, and other users there cannot reach the socket")
  func others() async throws {
    try await FarMachine.run { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let allow = try await far.run("lsregister", ["remote", "add", "one", "--allow", "photos"])
      #expect(allow.end == "exited with code 0", "\(allow.lines)")
      try await withSession(world, far, name: "one") { one in
        try await withSession(world, far, name: "two") { two in
          let first = try await far.ssh("LAUNCH_SERVICES_REMOTE=\(one) lsopen photos:1")
          #expect(first.end == "exited with code 0", "\(first.lines)")
          try await photos.next(.opened("photos:1"))
          // The right of the one is no right of the other. Nobody can be asked here.
          let second = try await far.ssh("LAUNCH_SERVICES_REMOTE=\(two) lsopen --no-ask photos:2")
          #expect(second.end == "exited with code 4", "\(second.lines)")
          // Another user of the far machine has found out the path.
          let thief = try far.startThere(
            ["LAUNCH_SERVICES_REMOTE=\(one)", "lsopen", "photos:3"], as: 65534)
          #expect(try await thief.hasEnded() == "exited with code 3", "\(thief.lines)")
          #expect(thief.lines.contains { $0.contains("Permission denied") }, "\(thief.lines)")
        }
      }
      #expect(photos.heard().isEmpty)
    }
  }
}
