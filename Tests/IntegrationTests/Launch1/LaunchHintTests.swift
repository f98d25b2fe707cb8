import BusContract
import LaunchServicesTesting
import Testing

@Suite("How an application is asked to launch", .timeLimit(.minutes(30)))
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

  static let images: [(HandlerScript, [String: PropertyListValue])] = [
    (.delegate(), ["UILaunchImageFile": "Start"]),
    (
      .scene(),
      ["UILaunchImages": [["UILaunchImageName": "Start"]], "UILaunchImageFile": "Other"]
    ),
  ]

  @Test("R1.41 a URL that launches comes with its launch image", arguments: images)
  func launchImage(script: HandlerScript, keys: [String: PropertyListValue]) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], script) {
        $0.otherKeys = keys
        $0.otherFiles = ["Start-photos@2x.png": "", "Start.png": "", "Other-photos.png": ""]
      }
      _ = try await world.client.open("PHOTOS:1")
      let hints = LaunchHints(launchImage: photos.path + "/Start-photos@2x.png")
      let url = OpenedURL("PHOTOS:1")
      let reason: LaunchReason =
        script.usesScenes
        ? .connectionOptions([url], hints: hints) : .launchOptions(url, hints: hints)
      #expect(photos.heard().dropFirst().first == .checkedIn(reason))
    }
  }

  @Test(
    "F1: the launch image is found by the spelling in the URL, else by that in the property list",
    arguments: [("photosapp:1", "Default-PhotosApp.png"), ("PHOTOSAPP:1", "Default-PHOTOSAPP.png")])
  func spelledLaunchImage(_ url: String, _ image: String) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["PhotosApp"]) {
        $0.otherFiles = [
          "Default-PhotosApp.png": "", "Default-PHOTOSAPP.png": "", "Default.png": "",
        ]
      }
      _ = try await world.client.open(url)
      let hints = LaunchHints(launchImage: "\(photos.path)/\(image)")
      #expect(
        photos.heard().dropFirst().first
          == .checkedIn(.launchOptions(OpenedURL(url), hints: hints)))
    }
  }

  @Test("R1.41 not a quick action, and not an application of macOS")
  func noLaunchImage() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"]) {
        $0.shortcutItems = ["new"]
        $0.otherFiles = ["Default.png": ""]
      }
      let mac = try await world.install("com.example.mac", schemes: ["mac"]) {
        $0.sdk = Profile.macOS.rawValue
        $0.otherFiles = ["Default.png": ""]
      }
      _ = try await world.client.performQuickAction("new", of: Self.identifier)
      #expect(
        photos.heard().dropFirst().first == .checkedIn(.launchOptions(shortcutItem: "new")))
      _ = try await world.client.open("mac:1")
      #expect(mac.heard().dropFirst().first == .checkedIn(.launchOptions(OpenedURL("mac:1"))))
    }
  }
}
