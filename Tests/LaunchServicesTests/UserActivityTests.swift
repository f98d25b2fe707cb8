import BusContract
import DBus
import FoundationEssentials
import LaunchServicesTesting
import Testing

@testable import LaunchServices

/// Takes universal links of one host.
private final class LinkDelegate: ApplicationDelegate {
  static var sceneDelegate: (any SceneDelegate.Type)? { LinkSceneDelegate.self }
  var launchOptions: [Application.LaunchOptionsKey: Any]?
  var continued: [URL?] = []

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    self.launchOptions = launchOptions
    return true
  }

  func application(
    _ application: Application, continue userActivity: UserActivity,
    restorationHandler: @escaping ([Any]?) -> Void
  ) -> Bool {
    restorationHandler(nil)
    continued.append(userActivity.webpageURL)
    return userActivity.activityType == UserActivity.typeBrowsingWeb
  }
}

private final class LinkSceneDelegate: SceneDelegate {
  var connected: [URL?] = []
  var continued: [URL?] = []

  func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions
  ) {
    connected = connectionOptions.userActivities.map(\.webpageURL)
  }

  func scene(_ scene: Scene, continue userActivity: UserActivity) {
    continued.append(userActivity.webpageURL)
  }
}

@MainActor @Suite struct `Universal links of the library` {
  static let url = "https://my.com/a%20b?c#d"
  private let link = ArrivingActivity(
    Contract.browsingWeb, [Key.webpageURL: .string(url), Key.request: .uint64(7)])

  @Test("R5.6 R5.20 R5.21 reach an application delegate, which answers") func delegate() throws {
    let delegate = LinkDelegate()
    let running = RunningApplication(delegate, of: Application())
    _ = try running.finishLaunching([
      Key.launchOptions: .options([
        Key.userActivityType: .string(Contract.browsingWeb), Key.webpageURL: .string(Self.url),
      ])
    ])
    let dictionary =
      delegate.launchOptions?[.userActivityDictionary] as? [Application.LaunchOptionsKey: Any]
    #expect(dictionary?[.userActivityType] as? String == "NSUserActivityTypeBrowsingWeb")
    #expect(delegate.launchOptions?[.url] == nil)
    #expect(running.continueActivity(link))
    #expect(delegate.continued == [URL(string: Self.url)])
    let silent = RunningApplication(SilentDelegate(), of: Application())
    #expect(!silent.continueActivity(link))
  }

  @Test("R5.16 R5.20 reach a scene, cold and warm") func scene() throws {
    let running = RunningApplication(LinkDelegate(), of: Application())
    let activity = Value.structure([.string(link.type), .options(link.options)])
    _ = try running.finishLaunching([
      Key.connectionOptions: .options([
        Key.userActivities: .array(of: "(sa{sv})", [activity])
      ])
    ])
    let delegate = try #require(running.scene?.delegate as? LinkSceneDelegate)
    #expect(delegate.connected == [URL(string: Self.url)])
    #expect(running.continueActivity(link))
    #expect(delegate.continued == [URL(string: Self.url)])
  }

  @Test("are acted on once, also when they come again") func once() throws {
    let delegate = LinkDelegate()
    let running = RunningApplication(delegate, of: Application())
    #expect(running.continueActivity(link))
    var again = link.options
    again[Key.repeated] = .boolean(true)
    #expect(running.continueActivity(ArrivingActivity(link.type, again)))
    #expect(delegate.continued.count == 1)
  }
}

/// The example of the guide Devices.
@MainActor private func offerArticle() -> UserActivity {
  let activity = UserActivity(activityType: "com.example.reader.article")
  activity.title = "Chapter 1"
  activity.webpageURL = URL(string: "https://example.com/article/1")
  activity.becomeCurrent()
  return activity
}

@MainActor @Suite("The current activity of an application", .timeLimit(.minutes(30)), .serialized)
struct CurrentUserActivityTests {
  /// An application with these types that has checked in.
  private func run(
    _ types: [String], _ body: @MainActor (Testbed, TestClient) async throws -> Void
  ) async throws {
    try await Testbed.run(["--allow-unverified-check-in"]) { world in
      try await world.install("com.example.notes") {
        $0.otherKeys["NSUserActivityTypes"] = .array(types.map(PropertyListValue.string))
      }
      let client = try TestClient(address: world.environment["DBUS_SESSION_BUS_ADDRESS"])
      _ = try await client.call(
        Contract.checkIn(CheckInOptions(bundleIdentifier: "com.example.notes")))
      try await body(world, client)
    }
  }

  /// Checks the web page that the command would hand over after the earlier calls of the application; `none` without
  /// one.
  private func expect(
    _ page: String, in world: Testbed, of client: TestClient,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    // The daemon answers the calls of a connection in order.
    _ = try await client.call(Contract.ping())
    // No device is there, so the answer is an error, with the page.
    let command = try world.startProcess(
      "lsopen", ["--continue", "com.example.notes", "--on", "Pixel", "--json"])
    let end = try await command.hasEnded()
    #expect(end == "exited with code 4", sourceLocation: sourceLocation)
    let json = command.lines.first { $0.hasPrefix("{") } ?? ""
    let found = json.firstMatch(of: /"url":"([^"]*)"/).map { String($0.1) } ?? "none"
    #expect(found == page, sourceLocation: sourceLocation)
  }

  @Test("the newest activity is offered, its changes too, until the application resigns it")
  func current() async throws {
    try await run(["com.example.reading", "com.example.writing"]) { world, client in
      let application = Application()
      application.service.use(client.session)
      let reading = UserActivity(activityType: "com.example.reading")
      reading.webpageURL = URL(string: "https://notes.example/1")
      application.offer(reading)
      try await expect("https://notes.example/1", in: world, of: client)
      reading.webpageURL = URL(string: "https://notes.example/2")
      try await expect("https://notes.example/2", in: world, of: client)

      let writing = UserActivity(activityType: "com.example.writing")
      writing.webpageURL = URL(string: "https://notes.example/3")
      application.offer(writing)
      reading.webpageURL = URL(string: "https://notes.example/4")
      reading.resignCurrent()
      try await expect("https://notes.example/3", in: world, of: client)
      writing.invalidate()
      try await expect("none", in: world, of: client)
      writing.becomeCurrent()
      try await expect("none", in: world, of: client)
    }
  }

  @Test("the example of the guide offers its page") func example() async throws {
    try await run(["com.example.reader.article"]) { world, client in
      Application.shared.service.use(client.session)
      let activity = offerArticle()
      try await expect("https://example.com/article/1", in: world, of: client)
      activity.invalidate()
      try await expect("none", in: world, of: client)
    }
  }
}
