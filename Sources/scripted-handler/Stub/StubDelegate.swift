internal import FoundationEssentials
internal import LaunchServices
internal import StubApplications

/// The application delegate of a stub: records each call, and does what the behaviour says.
private protocol RecordingDelegate: ApplicationDelegate {}

extension RecordingDelegate {
  static var sceneDelegate: (any SceneDelegate.Type)? { StubSceneDelegate.self }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    let url = launchOptions?[.url] as? URL
    let item = launchOptions?[.shortcutItem] as? ApplicationShortcutItem
    Stub.record(
      .didFinishLaunching, urls: url.map { [$0.absoluteString] } ?? [], quickAction: item?.type,
      source: launchOptions?[.sourceApplication] as? String)
    return Stub.launch()
  }

  func application(
    _ application: Application, open url: URL, options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool {
    Stub.record(
      .openURL, urls: [url.absoluteString], source: options[.sourceApplication] as? String)
    return Stub.deliver()
  }

  func application(
    _ application: Application, continue userActivity: UserActivity,
    restorationHandler: @escaping ([Any]?) -> Void
  ) -> Bool {
    Stub.record(.continueActivity, links: userActivity.links)
    return Stub.deliver()
  }

  func application(
    _ application: Application, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    Stub.record(.performAction, quickAction: shortcutItem.type)
    completionHandler(Stub.deliver())
  }

  func applicationShouldHandleReopen(
    _ application: Application, hasVisibleWindows: Bool
  ) -> Bool {
    Stub.record(.reopen)
    return true
  }
}

/// Gets documents one by one, as on iOS.
final class StubDelegate: RecordingDelegate {}

/// Gets documents that are opened together in one call, as on macOS.
final class DesktopStubDelegate: RecordingDelegate {
  func application(_ application: Application, open urls: [URL]) {
    Stub.record(.openURLs, urls: urls.map(\.absoluteString))
    _ = Stub.deliver()
  }
}

/// The scene delegate of a stub, for an application whose property list has a scene manifest.
final class StubSceneDelegate: SceneDelegate {
  func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions
  ) {
    let urls = connectionOptions.urlContexts.map(\.url.absoluteString).sorted()
    let links = connectionOptions.userActivities.flatMap(\.links).sorted()
    let item = connectionOptions.shortcutItem
    Stub.record(
      .willConnectTo, urls: urls, links: links, quickAction: item?.type,
      source: connectionOptions.sourceApplication)
    if !urls.isEmpty || !links.isEmpty || item != nil { _ = Stub.deliver() }
  }

  func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>) {
    let source = contexts.compactMap(\.options.sourceApplication).first
    Stub.record(
      .openURLContexts, urls: contexts.map(\.url.absoluteString).sorted(), source: source)
    _ = Stub.deliver()
  }

  func scene(_ scene: Scene, continue userActivity: UserActivity) {
    Stub.record(.continueActivity, links: userActivity.links)
    _ = Stub.deliver()
  }

  func windowScene(
    _ windowScene: WindowScene, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    Stub.record(.performAction, quickAction: shortcutItem.type)
    completionHandler(Stub.deliver())
  }
}

extension UserActivity {
  fileprivate var links: [String] { webpageURL.map { [$0.absoluteString] } ?? [] }
}
