import Foundation
import LaunchServicesTesting
import Testing

/// URLs that a rule of the user sends to another machine, which ssh reaches with real keys.
@MainActor
@Suite(
  "Rules that send URLs to a machine, by ssh",
  .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"), .timeLimit(.minutes(30)))
struct MachineRuleTests {
  private func run(
    hasDaemon: Bool = true, _ body: @MainActor (Testbed, FarMachine) async throws -> Void
  ) async throws {
    try await FarMachine.run { world, far in
      try await register(far, "add", "far")
      if hasDaemon { try await FarDaemon.start(on: far) }
      try await body(world, far)
    }
  }

  @discardableResult private func register(
    _ far: FarMachine, _ words: String...
  ) async throws -> [String] {
    let (lines, end) = try await far.run("lsregister", ["remote"] + words)
    #expect(end == "exited with code 0", "\(words): \(lines)")
    return lines
  }

  @Test("lsopen and any caller of D-Bus open there, until the rule ends; the explanation agrees")
  func sends() async throws {
    try await run { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await register(far, "send", "far", "photos", "*.example.com")
      let list = try await register(far, "list", "--json")
      #expect(list.first?.contains(#""sent":["*.example.com","photos"]"#) == true, "\(list)")
      let (lines, end) = try await far.run("lsopen", ["--json", "photos:1"])
      #expect(end == "exited with code 0", "\(lines)")
      #expect(lines.first?.contains(#""handler":"device:far""#) == true, "\(lines)")
      let explained = try await world.client.explain("photos:1")
      #expect(explained.handler == "device:far" && explained.wouldOpen)
      #expect(
        explained.sentence(of: "device")
          == "far (machine, by ssh, id far), to which you send photos (lsregister remote list)")
      #expect(try await world.client.open("photos:2").handler == "device:far")
      try await waitUntil("the URLs there") { far.arrived.count == 2 }
      #expect(far.arrived == ["photos:1", "photos:2"])
      // What the opener names goes before the rule.
      let named = try await far.run("lsopen", ["-b", "com.example.photos", "photos:3"])
      #expect(named.end == "exited with code 0", "\(named.lines)")
      try await photos.next(.opened("photos:3"))
      try await register(far, "keep", "far", "photos")
      let again = try await far.run("lsregister", ["remote", "keep", "far", "photos"])
      #expect(again.end != "exited with code 0", "\(again.lines)")
      #expect(
        again.lines.contains {
          $0.contains("no rule sends photos to far; 'lsregister remote list'")
        },
        "\(again.lines)")
      #expect(try await world.client.open("photos:4").handler == "com.example.photos")
      try await photos.next(.opened("photos:4"))
      #expect(far.arrived.count == 2)
    }
  }

  @Test("a rule outlives the daemon, and ends with the remote") func kept() async throws {
    try await run(hasDaemon: false) { world, far in
      try await register(far, "send", "far", "photos", "//wiki")
      try await world.restartDaemon()
      #expect(try await world.client.explain("photos:1").handler == "device:far")
      #expect(try await world.client.explain("https://wiki/page").handler == "device:far")
      try await register(far, "remove", "far")
      try await register(far, "add", "far")
      #expect(try await world.client.explain("photos:1").handler == "")
    }
  }

  @Test("a machine that cannot be reached is an error, and no application here gets the URL")
  func unreachable() async throws {
    try await run(hasDaemon: false) { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await register(far, "send", "far", "photos")
      let (lines, end) = try await far.run("lsopen", ["--json", "photos:1"])
      #expect(end == "exited with code 4")
      #expect(lines.first?.contains(#""error":"DeviceUnavailable""#) == true, "\(lines)")
      #expect(lines.first?.contains("nothing was sent") == true, "\(lines)")
      // The opener has named no machine, so the error says why the URL went there, and how to change that.
      let remedy =
        "your rule sends photos to far: to open photos here, use lsregister remote keep far photos"
      #expect(lines.last?.contains(remedy) == true, "\(lines)")
      let named = try await far.run("lsopen", ["--on", "far", "photos:2"])
      #expect(named.lines.last?.contains("nothing was sent") == true, "\(named.lines)")
      #expect(named.lines.last?.contains("your rule") == false, "\(named.lines)")
      let options = try await far.run("lsopen", ["--new", "photos:3"])
      #expect(options.lines.last?.contains(remedy) == true, "\(options.lines)")
      #expect(photos.heard().isEmpty)
      try await register(far, "keep", "far", "photos")
      #expect(try await far.run("lsopen", ["photos:4"]).end == "exited with code 0")
      try await photos.next(.opened("photos:4"))
    }
  }

  @Test("what the machine opens here is not sent back to the machine") func noCircle() async throws
  {
    try await run { world, far in
      let browser = try await world.installBrowser()
      try await register(far, "send", "far", "https")
      let session = try far.start("lsopen", ["ssh", "far", "lsopen https://example.com/1"])
      #expect(try await session.hasEnded() == "exited with code 0", "\(session.lines)")
      try await browser.next(.opened("https://example.com/1"))
      #expect(far.arrived == [])
    }
  }

  @Test("two machines that send a scheme to each other open the URL once, where it was sent first")
  func noCircleOfRules() async throws {
    try await run { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await register(far, "send", "far", "photos")
      // The other machine would send the URL to a machine that it does not reach.
      try FileManager.default.copyItem(
        atPath: Fixture.program("lsregister"), toPath: far.folder + "/bin/lsregister")
      for words in ["add here", "send here photos"] {
        let (lines, end) = try await far.ssh("lsregister remote \(words)")
        #expect(end == "exited with code 0", "\(lines)")
      }
      let (lines, end) = try await far.run("lsopen", ["--json", "photos:1"])
      #expect(end == "exited with code 0", "\(lines)")
      try await waitUntil("the URL there") { !far.arrived.isEmpty }
      #expect(far.arrived == ["photos:1"] && photos.heard().isEmpty)
    }
  }

  @Test(
    "two machines whose setting CallsFrom names the other: a message is opened once, where it was sent first"
  )
  func noCircleOfCalls() async throws {
    try await run(hasDaemon: false) { world, far in
      let settings = { (machine: String) in
        "<key>CallsFrom</key><string>\(machine)</string>"
          + "<key>Confirmations</key><dict><key>handoff-application</key><false/></dict>"
      }
      try world.writeSettings(settings("far"))
      try await world.stopDaemon()
      try await world.startDaemon(environment: ["PATH": far.path])
      try await FarDaemon.start(on: far, settings: settings("here"))
      // The other machine does not reach this one.
      try FileManager.default.copyItem(
        atPath: Fixture.program("lsregister"), toPath: far.folder + "/bin/lsregister")
      let added = try await far.ssh("lsregister remote add here")
      #expect(added.end == "exited with code 0", "\(added.lines)")
      let sent = try await far.ssh("lsopen --json sms:1")
      #expect(
        sent.lines.first?.contains(#""error":"DeviceUnavailable""#) == true, "\(sent.lines)")
      let (lines, end) = try await far.run("lsopen", ["--json", "sms:2"])
      #expect(end == "exited with code 0", "\(lines)")
      #expect(lines.first?.contains(#""handler":"device:far""#) == true, "\(lines)")
      try await waitUntil("the URL there") { !far.arrived.isEmpty }
      #expect(far.arrived == ["sms:2"])
    }
  }
}
