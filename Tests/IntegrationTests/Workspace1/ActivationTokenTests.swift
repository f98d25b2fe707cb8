import BusContract
import LaunchServicesTesting
import Testing

@Suite("Activation tokens", .timeLimit(.minutes(30)))
struct ActivationTokenTests {
  static let identifier = "com.example.photos"
  static let reporting = HandlerScript.launching(.report, .checkIn(), .finishLaunching())
  static let names = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]

  static func options(_ token: String?) -> OpenOptions {
    var options = OpenOptions()
    options.activationToken = token
    return options
  }

  /// Both variables of a process that has started.
  static func variables(of application: ScriptedHandler) async throws -> [String?] {
    let facts = try await RedirectionTests.facts(application)
    return names.map { facts.environment[$0] }
  }

  @Test("Cold: the process that was started for the open has it, and the delivery does not")
  func cold() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.reporting)
      let lsopen = try world.startProcess(
        "lsopen", ["photos:1", "photos:2"], environment: ["XDG_ACTIVATION_TOKEN": "wayland-1"])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      #expect(try await Self.variables(of: photos) == ["wayland-1", "wayland-1"])
      #expect(
        photos.heard() == [
          .checkedIn(.launchOptions(OpenedURL("photos:1"))), .finishing, .opened("photos:1"),
          .opened("photos:2"),
        ])
    }
  }

  @Test("Warm: it comes with the URL")
  func warm() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"])
      _ = try await world.client.open("photos:0")
      _ = photos.heard()
      let lsopen = try world.startProcess(
        "lsopen", ["photos:1", "photos:2"], environment: ["DESKTOP_STARTUP_ID": "x11_TIME1"])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      #expect(
        photos.heard() == [.opened("photos:1", activationToken: "x11_TIME1"), .opened("photos:2")])
    }
  }

  @Test("The next process of an application does not have the token of an earlier one")
  func relaunch() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        HandlerScript(
          launch: [.report, .checkIn(), .finishLaunching()],
          deliveries: [[.answer(true)], [.wait, .crash]]))
      _ = try await world.client.open("photos:1", Self.options("first"))
      #expect(try await Self.variables(of: photos) == ["first", "first"])
      let second = world.client.opening("photos:2", Self.options("second"))
      try await photos.isWaiting()
      // It waits for the one before, so its process is the next one.
      let third = world.client.opening("photos:3")
      _ = try await world.client.call(Contract.ping())
      try await photos.go()
      await #expect(throws: Refusal.self) { try await second.receipt() }
      #expect(try await third.receipt().outcome == .deliveredCold)
      #expect(try await Self.variables(of: photos) == [nil, nil])
    }
  }

  @Test(
    "Neither the daemon's environment, nor the application's, nor the opener's variables set it")
  func otherWays() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let stolen = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, "stolen") })
      try await world.startDaemon(environment: stolen)
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"], Self.reporting
      ) { $0.environment = stolen }
      var options = OpenOptions()
      options.environment = stolen
      _ = try await world.client.open("photos:1", options)
      #expect(try await Self.variables(of: photos) == [nil, nil])
    }
  }

  static let oddTokens = [
    "", "two words", "line\nbreak", "ä", "\u{7f}", String(repeating: "x", count: 1025),
  ]

  @Test("One that is empty, long or odd is refused, and nothing is opened", arguments: oddTokens)
  func odd(token: String) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"])
      await #expect(
        throws: Refusal(
          "org.freedesktop.DBus.Error.InvalidArgs",
          "option 'activation-token' must have 1 to 1024 printable ASCII characters without blanks")
      ) { try await world.client.open("photos:1", Self.options(token)) }
      #expect(photos.heard() == [])
    }
  }

  @Test("lsopen does without one that the daemon would refuse")
  func oddInEnvironment() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.reporting)
      let lsopen = try world.startProcess(
        "lsopen", ["photos:1"], environment: ["XDG_ACTIVATION_TOKEN": "two words"])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      #expect(try await Self.variables(of: photos) == [nil, nil])
    }
  }
}
