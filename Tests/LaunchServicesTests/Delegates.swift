import FoundationEssentials
import LaunchServices

/// Implements nothing.
final class SilentDelegate: ApplicationDelegate {}

/// Implements the second launch method, the newest open method, and the states.
final class NewDelegate: ApplicationDelegate {
  var launchOptions: [Application.LaunchOptionsKey: Any]?
  var openOptions: [[Application.OpenURLOptionsKey: Any]] = []
  var opened: [String] = []
  var diary: [String] = []

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    diary.append("did")
    self.launchOptions = launchOptions
    return true
  }

  func application(
    _ application: Application, open url: URL, options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool {
    diary.append("open")
    opened.append(url.absoluteString)
    openOptions.append(options)
    return url.scheme == "good"
  }

  func application(_ application: Application, handleOpen url: URL) -> Bool {
    diary.append("handleOpen")
    return true
  }

  func application(
    _ application: Application, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    diary.append("action \(shortcutItem.type)")
    completionHandler(true)
  }

  func applicationWillEnterForeground(_ application: Application) { diary.append("foreground") }
  func applicationDidBecomeActive(_ application: Application) { diary.append("active") }
  func applicationWillResignActive(_ application: Application) { diary.append("resign") }
  func applicationDidEnterBackground(_ application: Application) { diary.append("background") }
}

/// Refuses in the first launch method, and asks a delegate that has no voice.
final class RefusingDelegate: ApplicationDelegate {
  let other = SilentDelegate()

  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    _ = other.application(application, willFinishLaunchingWithOptions: launchOptions)
    return false
  }
}

/// Has only methods of older systems.
final class OldDelegate: ApplicationDelegate {
  var hasLaunched = false
  func applicationDidFinishLaunching(_ application: Application) { hasLaunched = true }
  func application(_ application: Application, handleOpen url: URL) -> Bool { true }
}

/// Has the open method between the newest and the oldest.
final class MiddleDelegate: ApplicationDelegate {
  var source: String?
  func application(
    _ application: Application, open url: URL, sourceApplication: String?, annotation: Any
  ) -> Bool {
    source = sourceApplication
    return true
  }
  func application(_ application: Application, handleOpen url: URL) -> Bool { false }
}

/// A scene application.
final class SceneApplication: ApplicationDelegate {
  static var sceneDelegate: (any SceneDelegate.Type)? { RecordingScene.self }
  var launchOptions: [Application.LaunchOptionsKey: Any]? = [:]

  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    self.launchOptions = launchOptions
    return false
  }

  func application(
    _ application: Application, open url: URL, options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool {
    preconditionFailure("a scene application is not asked this way (R5.13)")
  }
}

final class RecordingScene: SceneDelegate {
  var connection: Scene.ConnectionOptions?
  var arrived: [Set<OpenURLContext>] = []
  var actions: [String] = []

  func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions
  ) {
    connection = connectionOptions
  }

  func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>) {
    arrived.append(contexts)
  }

  func windowScene(
    _ windowScene: WindowScene, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    actions.append(shortcutItem.type)
    completionHandler(true)
  }
}

/// A scene application whose scene has no method for URLs.
final class SilentSceneApplication: ApplicationDelegate {
  static var sceneDelegate: (any SceneDelegate.Type)? { SilentScene.self }
}
final class SilentScene: WindowSceneDelegate {}

/// Four more ways in which people write the class of the scene delegate.
final class ExistentialSceneApplication: ApplicationDelegate {
  static var sceneDelegate: any SceneDelegate.Type { SilentScene.self }
}
final class ClassSceneApplication: ApplicationDelegate {
  static var sceneDelegate: SilentScene.Type { SilentScene.self }
}
final class ConstantSceneApplication: ApplicationDelegate {
  static let sceneDelegate = SilentScene.self
}
final class OptionalClassSceneApplication: ApplicationDelegate {
  static var sceneDelegate: SilentScene.Type? { SilentScene.self }
}
/// Names no scene delegate.
final class WrongSceneApplication: ApplicationDelegate {
  static var sceneDelegate: String { "SilentScene" }
}

/// Takes documents together.
final class DocumentDelegate: ApplicationDelegate {
  private(set) var opened: [[String]] = []

  func application(_ application: Application, open urls: [URL]) {
    opened.append(urls.map(\.absoluteString))
  }
}
