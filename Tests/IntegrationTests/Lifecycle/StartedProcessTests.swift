import BusContract
import LaunchServicesTesting
import Testing

@Suite("A process the daemon starts", .timeLimit(.minutes(30)))
struct StartedProcessTests {
  static let reporting = HandlerScript.launching(.report, .checkIn(), .finishLaunching())

  @Test("It begins with clean signals, descriptors and environment")
  func facts() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await world.startDaemon(environment: [
        "LAUNCH_SERVICES_TOKEN": "of-another", "LAUNCH_SERVICES_ANYTHING": "1",
        "DESKTOP_STARTUP_ID": "of-the-daemon", "XDG_ACTIVATION_TOKEN": "of-the-daemon",
        "INVOCATION_ID": "1", "DBUS_STARTER_ADDRESS": "unix:path=/nowhere", "PASSED_ON": "yes",
        "OVERRIDDEN": "by the daemon", "PWD": "/", "OLDPWD": "/tmp", "SHLVL": "2",
        "_": "/usr/bin/launchservicesd",
      ])
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], Self.reporting
      ) { $0.environment = ["OVERRIDDEN": "by the application", "ADDED": "ä = \"b\""] }

      let pid = try await world.client.open("photos:1").pid

      #expect(try await photos.next() == .started)
      guard case .facts(var facts) = try await photos.next() else {
        Issue.record("no facts")
        return
      }
      let token = facts.environment.removeValue(forKey: "LAUNCH_SERVICES_TOKEN")
      #expect(token?.utf8.count ?? 0 >= 32)
      let expected = world.environment.merging([
        "LAUNCH_SERVICES_BUNDLE_IDENTIFIER": "com.example.photos", "PASSED_ON": "yes",
        "OVERRIDDEN": "by the application", "ADDED": "ä = \"b\"",
      ]) { $1 }
      // A unit has the variables of the user manager, too.
      let environment =
        Testbed.usesUserManager
        ? facts.environment.filter { expected[$0.key] != nil } : facts.environment
      #expect(environment == expected)
      #expect(facts.environment["XDG_ACTIVATION_TOKEN"] == nil)
      #expect(facts.environment["LAUNCH_SERVICES_ANYTHING"] == nil)
      #expect(facts.descriptors == [0, 1, 2])
      #expect(facts.blockedSignals == "0000000000000000")
      // The C library keeps signals 32 and 33 for itself.
      let ignored = try #require(UInt64(facts.ignoredSignals, radix: 16))
      #expect(ignored & 0x7fff_ffff == 0)
      #expect(facts.processGroup == pid)
      #expect(facts.arguments == [])
      #expect(facts.workingDirectory == world.environment["HOME"])
    }
  }

  @Test("R5.34 arguments and variables of the opener are for a new process")
  func argumentsOfTheOpener() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], Self.reporting)
      var options = OpenOptions()
      options.arguments = ["--one", "two words", ""]
      options.environment = ["GIVEN": "yes", "LD_PRELOAD": "/nowhere", "LAUNCH_SERVICES_X": "1"]
      _ = try await world.client.open("photos:1", options)
      #expect(try await photos.next() == .started)
      guard case .facts(let facts) = try await photos.next() else {
        Issue.record("no facts")
        return
      }
      #expect(facts.arguments == ["--one", "two words", ""])
      #expect(facts.environment["GIVEN"] == "yes")
      #expect(facts.environment["LD_PRELOAD"] == nil)
      #expect(facts.environment["LAUNCH_SERVICES_X"] == nil)
    }
  }
}
