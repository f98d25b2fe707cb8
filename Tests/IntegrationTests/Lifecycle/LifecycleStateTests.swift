import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@Suite("Lifecycle states", .timeLimit(.minutes(30)))
struct LifecycleStateTests {
  private static let photos = "com.example.photos"
  private static let mail = "com.example.mail"

  private func install(
    _ identifier: String, in world: Testbed, _ script: HandlerScript = .delegate(),
    _ keys: [String: PropertyListValue] = [:]
  ) async throws -> ScriptedHandler {
    var script = script
    script.tellsStates = true
    let scheme = String(identifier.split(separator: ".").last!)
    return try await world.install(identifier, schemes: [scheme], script) {
      $0.otherKeys = keys
    }
  }

  /// The letter of `/proc/PID/stat`: `T` is stopped.
  private func kernelState(of pid: Int32) throws -> Character? {
    let status = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    return status.split(separator: ")").last?.first { $0 != " " }
  }

  /// By a signal, or with the control group of its unit.
  private func isStopped(_ pid: Int32) throws -> Bool {
    let group =
      try String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8)
      .split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3) ?? ""
    let events = try? String(
      contentsOfFile: "/sys/fs/cgroup\(group)/cgroup.events", encoding: .utf8)
    return try kernelState(of: pid) == "T" || events?.contains("frozen 1") == true
  }

  private func suspension(of identifier: String, in world: Testbed) async throws {
    try await waitUntil("the suspension of \(identifier)") {
      try await world.client.states()[identifier] == "suspended"
    }
  }

  @Test("R5.1 R5.35 the application that is opened is active, the one before it in the background")
  func foreground() async throws {
    try await Testbed.run { world in
      let photos = try await install(Self.photos, in: world)
      let mail = try await install(Self.mail, in: world)
      _ = try await world.client.open("photos:1")
      try await photos.next(.became("active"))
      #expect(try await world.client.states() == [Self.photos: "active"])

      _ = try await world.client.open("mail:1")
      try await mail.next(.became("active"))
      #expect(try await photos.next() == .became("inactive"))
      #expect(try await photos.next() == .became("background"))
      #expect(
        try await world.client.states() == [Self.photos: "background", Self.mail: "active"])
    }
  }

  @Test("R5.2 R5.3 active comes after the URL at launch; foreground comes before it while running")
  func order() async throws {
    try await Testbed.run { world in
      let photos = try await install(Self.photos, in: world)
      let mail = try await install(Self.mail, in: world)
      _ = try await world.client.open("photos:1")
      try await photos.next(.became("active"))
      _ = try await world.client.open("mail:1")
      try await photos.next(.became("background"))
      _ = mail.heard()
      _ = photos.heard()
      _ = try await world.client.open("photos:2")
      try await mail.next(.became("background"))
      #expect(try await photos.next() == .became("inactive"))
      #expect(try await photos.next() == .opened("photos:2"))
      #expect(try await photos.next() == .became("active"))
      _ = try await world.client.open("photos:3")
      #expect(try await photos.next() == .opened("photos:3"))
      #expect(photos.heard() == [])
    }
  }

  @Test("R5.35 an open that does not activate leaves everybody where he is, cold and warm")
  func background() async throws {
    try await Testbed.run { world in
      let photos = try await install(Self.photos, in: world)
      let mail = try await install(Self.mail, in: world)
      var options = OpenOptions()
      options.activate = false
      _ = try await world.client.open("mail:1")
      try await mail.next(.became("active"))
      _ = try await world.client.open("photos:1", options)
      try await photos.next(.became("background"))
      _ = try await world.client.open("photos:2", options)
      #expect(try await photos.next() == .opened("photos:2"))
      #expect(mail.heard() == [])
      #expect(
        try await world.client.states() == [Self.photos: "background", Self.mail: "active"])
    }
  }

  @Test("R5.13 a scene application that was launched with a URL is active, too") func scene()
    async throws
  {
    try await Testbed.run { world in
      let photos = try await install(Self.photos, in: world, .scene())
      _ = try await world.client.open("photos:1")
      try await photos.next(.became("active"))
    }
  }

  @Test("R5.1 in the background its process is stopped, and the next URL finds it running again")
  func suspended() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>SuspendAfter</key><integer>1</integer>")
      try await world.startDaemon()
      let photos = try await install(Self.photos, in: world)
      let mail = try await install(Self.mail, in: world)
      let pid = try await world.client.open("photos:1").pid
      _ = try await world.client.open("mail:1")
      try await suspension(of: Self.photos, in: world)
      // It takes effect a moment after it was ordered.
      try await waitUntil("the stop of process \(pid)") { try isStopped(pid) }
      #expect(try await world.client.states()[Self.mail] == "active")
      _ = photos.heard()

      let receipt = try await world.client.open("photos:2")
      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == pid)
      #expect(try await photos.next() == .became("inactive"))
      #expect(try await photos.next() == .opened("photos:2"))
      #expect(mail.pids.count == 1)
    }
  }

  @Test("A suspended application goes on when the daemon ends") func daemonEnds() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>SuspendAfter</key><integer>1</integer>")
      try await world.startDaemon()
      _ = try await install(Self.photos, in: world)
      _ = try await install(Self.mail, in: world)
      let pid = try await world.client.open("photos:1").pid
      _ = try await world.client.open("mail:1")
      try await suspension(of: Self.photos, in: world)
      #expect(try await world.stopDaemon() == "exited with code 0")
      try await waitUntil("the continuation of process \(pid)") { try kernelState(of: pid) != "T" }
    }
  }

  @Test("A suspended application goes on when the daemon is killed and another comes")
  func daemonKilled() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>SuspendAfter</key><integer>1</integer>")
      try await world.startDaemon()
      var script = HandlerScript.delegate()
      script.comesBack = .remembering
      let photos = try await install(Self.photos, in: world, script)
      _ = try await install(Self.mail, in: world)
      let pid = try await world.client.open("photos:1").pid
      _ = try await world.client.open("mail:1")
      try await suspension(of: Self.photos, in: world)
      try await world.killDaemon()
      // It takes effect a moment after it was ordered.
      try await waitUntil("the stop of process \(pid)") { try isStopped(pid) }
      try await world.startDaemon()
      try await photos.next(.cameBack)
      #expect(try await world.client.open("photos:2").pid == pid)
    }
  }

  @Test("R1.38 an application that exits on suspend ends, and its next URL launches it")
  func exitsOnSuspend() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>SuspendAfter</key><integer>1</integer>")
      try await world.startDaemon()
      let photos = try await install(
        Self.photos, in: world, .delegate(), ["UIApplicationExitsOnSuspend": .boolean(true)])
      _ = try await install(Self.mail, in: world)
      _ = try await world.client.open("photos:1")
      _ = try await world.client.open("mail:1")
      try await photos.hasLeftTheBus()
      let receipt = try await world.client.open("photos:2")
      #expect(receipt.outcome == .deliveredCold)
      #expect(photos.pids.count == 2)
    }
  }

  @Test("lsregister apps tells what runs, since when and what waits") func list() async throws {
    try await Testbed.run { world in
      let photos = try await install(
        Self.photos, in: world, .delegate(deliveries: [.wait, .answer(true)], [.answer(true)]))
      let before = UInt64(Date().timeIntervalSince1970 * 1_000_000)
      let first = world.client.opening("photos:1")
      try await photos.next(.opened("photos:1"))
      let second = world.client.opening("photos:2")
      let entry = try #require(try await world.client.running().first)
      #expect(entry["bundle-identifier"] == .string(Self.photos))
      #expect(entry["state"] == .string("inactive"))
      #expect(entry["pid"] == .uint32(UInt32(photos.pids[0])))
      #expect(entry["queued"] == .uint32(2))
      let since = try #require(entry["since"]?.asUInt64)
      #expect(since >= before && since <= UInt64(Date().timeIntervalSince1970 * 1_000_000))
      try await photos.go()
      _ = try await first.receipt()
      _ = try await second.receipt()
      #expect(try await world.client.running().first?["queued"] == .uint32(0))
    }
  }
}
