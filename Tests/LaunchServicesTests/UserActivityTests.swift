import BusContract
import DBus
import FoundationEssentials
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
