import BusContract
import DBus
import LaunchServicesTesting
import Testing

@MainActor @Suite("Limits", .timeLimit(.minutes(30)))
struct LimitTests {
  private static let photos = "com.example.photos"

  private func setting(_ key: String, _ value: Int, in world: Testbed) async throws {
    try world.writeSettings("<key>\(key)</key><integer>\(value)</integer>")
    try await world.startDaemon()
  }

  /// The number of opens that wait for the application for photos.
  private func queued(in world: Testbed) async throws -> UInt32? {
    try await world.client.running().first { $0["bundle-identifier"]?.asString == Self.photos }?[
      "queued"]?.asUInt32
  }

  @Test("the opens of one caller that are under way, and nobody else's") func perCaller()
    async throws
  {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumOpensPerCaller", 2, in: world)
      let photos = try await world.install(
        Self.photos, schemes: ["photos"],
        .delegate(deliveries: [.answer(true)], [.wait, .answer(true)], [.answer(true)]))
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      _ = try await world.client.open("photos:0")
      let first = world.client.opening("photos:1")
      let second = world.client.opening("photos:2")
      try await photos.isWaiting()
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "2 opens of this caller are under way already, which is the limit MaximumOpensPerCaller of"
            + " the settings: try again when some of them have ended (OSStatus error -10810)")
      ) { try await world.client.open("photos:3") }
      async let other = mail.open("photos:4")
      try await photos.go()
      _ = try await first.receipt()
      _ = try await second.receipt()
      #expect(try await other.outcome == .deliveredWarm)
      #expect(try await world.client.open("photos:5").outcome == .deliveredWarm)
    }
  }

  @Test("a hanging application's queue, which processes of one parent do not fill for others")
  func queueOfGroup() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumQueueLength", 4, in: world)
      let photos = try await world.install(
        Self.photos, schemes: ["photos"],
        .launching(.wait, .checkIn(), .finishLaunching()))
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      let openers = try (1...3).map { try world.startProcess("lsopen", ["photos:\($0)"]) }
      try await waitUntil("3 opens wait") {
        try await queued(in: world) == 3
      }
      let last = try world.startProcess("lsopen", ["photos:16"])
      #expect(try await last.hasEnded() == "exited with code 4", "\(last.lines)")
      #expect(
        last.lines.contains {
          $0.contains("3 opens of this caller and of others of one application, unit or parent")
        }, "\(last.lines)")
      async let other = mail.open("photos:17")
      try await waitUntil("the open of the application waits, too") {
        try await queued(in: world) == 4
      }
      try await photos.go()
      #expect(try await other.outcome.delivery == .delivered)
      for opener in openers { #expect(try await opener.hasEnded() == "exited with code 0") }
    }
  }

  @Test("the bytes of all opens under way") func bytes() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumPendingBytes", 100_000, in: world)
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.wait, .answer(true)]))
      let long = "photos:" + String(repeating: "x", count: 60_000)
      let first = world.client.opening(long)
      try await photos.isWaiting()
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "the opens under way take 121038 bytes already, and the limit MaximumPendingBytes of the"
            + " settings is 100000: try again when some"
            + " of them have ended (OSStatus error -10810)")
      ) { try await world.client.open("photos:2") }
      try await photos.go()
      #expect(try await first.receipt().outcome == .deliveredCold)
    }
  }

  @Test("the bytes of one caller, which may take a quarter of them") func bytesPerCaller()
    async throws
  {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumPendingBytes", 400_000, in: world)
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.wait, .answer(true)]))
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      let long = "photos:" + String(repeating: "x", count: 60_000)
      let first = world.client.opening(long)
      try await photos.isWaiting()
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "the opens of this caller take 121038 bytes already, and one caller may take 100000, a"
            + " quarter of the limit MaximumPendingBytes of the settings: try again when some of them have ended"
            + " (OSStatus error -10810)")
      ) { try await world.client.open("photos:2") }
      let other = Task { try await mail.open("photos:3").outcome }
      try await photos.go()
      #expect(try await first.receipt().outcome == .deliveredCold)
      try await photos.go()
      #expect(try await other.value == .deliveredWarm)
    }
  }

  @Test("launches of one application, which take a quarter of the places") func oneApplication()
    async throws
  {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumLaunches", 4, in: world)
      let mac = try await world.install(
        "com.example.mac", schemes: ["mac"], .launching(.wait, .checkIn(), .finishLaunching())
      ) { $0.sdk = "macosx26.0" }
      try await world.install(Self.photos, schemes: ["photos"])
      var options = OpenOptions()
      options.newInstance = true
      let opens = (0..<6).map { world.client.opening("mac:\($0)", options) }
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      try await mac.isWaiting()
      for open in opens {
        try await mac.go()
        #expect(try await open.receipt().outcome == .deliveredCold)
      }
    }
  }

  @Test("launches at once: the others wait their turn, and all are launched") func launches()
    async throws
  {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumLaunches", 2, in: world)
      var handlers: [ScriptedHandler] = []
      for number in 0..<5 {
        handlers.append(
          try await world.install(
            "com.example.app\(number)", schemes: ["app\(number)"],
            .launching(.wait, .checkIn(), .finishLaunching())))
      }
      let opens = (0..<5).map { world.client.opening("app\($0):1") }
      for (number, handler) in handlers.enumerated() {
        try await handler.go()
        #expect(try await opens[number].receipt().outcome == .deliveredCold)
      }
    }
  }

  @Test("a launch that fails makes room for the next one") func failingLaunches() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumLaunches", 1, in: world)
      let faults: [HandlerScript] = [
        .launching(.exit(1)), .launching(.checkIn(), .leaveBus), .delegate(),
      ]
      for (number, script) in faults.enumerated() {
        try await world.install("com.example.app\(number)", schemes: ["app\(number)"], script)
      }
      let opens = (0..<3).map { world.client.opening("app\($0):1") }
      for number in 0..<2 {
        await #expect(throws: Refusal.self) { try await opens[number].receipt() }
      }
      #expect(try await opens[2].receipt().outcome == .deliveredCold)
    }
  }

  @Test("applications registered by their paths") func registrations() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumRegistrations", 1, in: world)
      try await world.install("com.example.a") { $0.place = .registered }
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "1 applications are registered by their paths already, which is the limit"
            + " MaximumRegistrations of the settings (OSStatus error -10810)")
      ) { try await world.install("com.example.b") { $0.place = .registered } }
      // Again the same one.
      try await world.install("com.example.a") { $0.place = .registered }
    }
  }

  @Test("schemes for which the user chose an application") func choices() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await setting("MaximumRegistrations", 1, in: world)
      try await world.install("com.example.a", schemes: ["one", "two"])
      _ = try await world.client.call(Contract.setDefaultHandler("one", "com.example.a"))
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "applications were chosen for 1 schemes already, which is the limit MaximumRegistrations of"
            + " the settings (OSStatus error -10810)")
      ) { _ = try await world.client.call(Contract.setDefaultHandler("two", "com.example.a")) }
    }
  }
}
