import BusContract
import LaunchServicesTesting
import Testing

@Suite("How an application is asked to launch", .timeLimit(.minutes(1)))
struct LaunchHintTests {
  static let identifier = "com.example.photos"

  static let hints: [(String, LaunchHints)] = [
    ("-g", LaunchHints()), ("-j", LaunchHints(hidden: true)), ("-F", LaunchHints(fresh: true)),
    ("-jF", LaunchHints(hidden: true, fresh: true)),
  ]

  @Test("R7.2 a new process is told, with a delegate", arguments: hints)
  func delegate(flag: String, hints: LaunchHints) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"])
      let lsopen = try world.startProcess("lsopen", [flag, "photos:1"])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      let reason = LaunchReason.launchOptions(OpenedURL("photos:1"), hints: hints)
      #expect(photos.heard() == [.started, .checkedIn(reason), .finishing, .opened("photos:1")])
    }
  }

  @Test("R7.2 and with a scene; one that runs is not told")
  func scene() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], .scene())
      var options = OpenOptions()
      options.hidden = true
      options.fresh = true
      _ = try await world.client.open("photos:1", options)
      #expect(try await world.client.open("photos:2", options).outcome == .deliveredWarm)
      let reason = LaunchReason.connectionOptions(
        [OpenedURL("photos:1")], hints: LaunchHints(hidden: true, fresh: true))
      #expect(photos.heard() == [.started, .checkedIn(reason), .finishing, .opened("photos:2")])
    }
  }
}
