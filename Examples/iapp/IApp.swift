import FoundationEssentials
import LaunchServices

/// An App Store browser in the scene lifecycle. It opens `iapp` and `iappstore` URLs, performs quick actions,
/// and prints one line for each.
///
/// `lsopen -b com.example.iapp --args --quick-actions search,feedback` sets the quick actions, which the
/// daemon stores.
@main final class IApp: ApplicationDelegate {
  static var sceneDelegate: (any SceneDelegate.Type)? { IAppScene.self }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    if let chosen = ChosenQuickActions(arguments: CommandLine.arguments) {
      application.shortcutItems = chosen.shortcutItems
    } else if application.shortcutItems == nil {
      application.shortcutItems = ChosenQuickActions.standard.shortcutItems
    }
    return true
  }
}

/// The scene delegate, which receives URLs and quick actions (R10.3, R10.9).
final class IAppScene: SceneDelegate {
  private let filters = FilterStore(environment: ProcessInfo.processInfo.environment)

  func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions
  ) {
    for context in connectionOptions.urlContexts { open(context.url) }
    if let item = connectionOptions.shortcutItem { _ = perform(item) }
  }

  func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>) {
    for context in contexts { open(context.url) }
  }

  func windowScene(
    _ windowScene: WindowScene, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    completionHandler(perform(shortcutItem))
  }

  private func open(_ url: URL) {
    guard let link = DeepLink(url) else { return print("ignored \(url.absoluteString)") }
    print(link)
    guard case .rankings(let chosen) = link, chosen != Filters() else { return }
    do {
      try filters.save(filters.load().updated(with: chosen))
    } catch {
      print("filters not saved: \(error)")
    }
  }

  private func perform(_ item: ApplicationShortcutItem) -> Bool {
    guard let action = QuickAction(rawValue: item.type) else {
      print("ignored quick action \(item.type)")
      return false
    }
    print("quick action \(action)")
    return true
  }
}
