public import FoundationEssentials

/// Receives the lifecycle events of an application and the URLs that it opens.
///
/// Mark the class `@main`. Every method is optional; a launch method that is not implemented has no effect on
/// whether the URL is delivered (R5.4). Implement the methods in the class that conforms to this protocol:
/// Swift does not call an implementation that only a subclass has.
@MainActor public protocol ApplicationDelegate: AnyObject {
  /// The type of `sceneDelegate`, which Swift infers: `(any SceneDelegate.Type)?`, `any SceneDelegate.Type`, or the
  /// type of one class.
  associatedtype SceneDelegateClass = (any SceneDelegate.Type)?

  /// Creates the delegate after the daemon has accepted the check-in of the process.
  init()

  /// The class of the scene delegate, for an application whose property list has
  /// `UIApplicationSceneManifest`. UIKit reads the class name from the manifest instead.
  static var sceneDelegate: SceneDelegateClass { get }

  /// Called first. The options are nil in a scene application (R5.13).
  /// - Returns: false to refuse the URL that launched the application (R5.4).
  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool

  /// Called second, with the same options.
  /// - Returns: false to refuse the URL that launched the application (R5.4), or when it has
  ///   performed the quick action in the options (R5.22).
  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool

  /// Called when `application(_:didFinishLaunchingWithOptions:)` is not implemented (R5.5).
  func applicationDidFinishLaunching(_ application: Application)

  /// Opens a URL.
  /// - Returns: whether the URL was handled; the opener's receipt says so (R5.9).
  func application(
    _ application: Application, open url: URL, options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool

  /// Opens documents that were opened together, as in AppKit (R5.28, R5.30). When this is not implemented,
  /// `application(_:open:options:)` is called for each document.
  func application(_ application: Application, open urls: [URL])

  /// The older form, called when `application(_:open:options:)` is not implemented (R5.10).
  func application(
    _ application: Application, open url: URL, sourceApplication: String?, annotation: Any
  ) -> Bool

  /// The oldest form, called when neither of the newer forms is implemented (R5.10).
  func application(_ application: Application, handleOpen url: URL) -> Bool

  /// Opens a universal link (R5.20). Not called when a launch method returned false (R5.21).
  /// - Parameters:
  ///   - application: The running application.
  ///   - userActivity: The universal link.
  ///   - restorationHandler: Does nothing; UIKit restores the state of a screen with it.
  /// - Returns: whether the link was handled; the opener's receipt says so.
  func application(
    _ application: Application, continue userActivity: UserActivity,
    restorationHandler: @escaping ([Any]?) -> Void
  ) -> Bool

  /// Performs a quick action that the user chose. Call the completion handler once (R5.22).
  func application(
    _ application: Application, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void)

  /// Called when the application is opened again without a URL (R5.32). Not called in scene applications.
  /// - Returns: true for the default behaviour, which is to do nothing.
  func applicationShouldHandleReopen(
    _ application: Application, hasVisibleWindows: Bool
  ) -> Bool

  /// Called when the application leaves the background, before it becomes active (R5.3). Not called in scene
  /// applications.
  func applicationWillEnterForeground(_ application: Application)

  /// Called when the application has become active: after the launch, and after each return to the front (R5.2,
  /// R5.3). Not called in scene applications.
  func applicationDidBecomeActive(_ application: Application)

  /// Called when the application stops being active, before it enters the background (R5.1). Not called in scene
  /// applications.
  func applicationWillResignActive(_ application: Application)

  /// Called when the application has entered the background; the process may be suspended afterwards (R5.1). Not
  /// called in scene applications.
  func applicationDidEnterBackground(_ application: Application)
}

extension ApplicationDelegate {
  /// Checks in with the daemon and runs the application until the connection to the bus closes.
  ///
  /// Exit status: 0 when the bus closes the connection; 69 when the bus or the daemon is unreachable; 75 when
  /// another instance runs; 77 when the daemon cannot verify that this process is the application; 78 when the
  /// property list has a scene manifest but `sceneDelegate` names no scene delegate. The reason is printed to standard error.
  public static func main() { HandlerProcess.run(Self.self) }

  /// The default implementation returns nil: the application has no scene.
  public static var sceneDelegate: (any SceneDelegate.Type)? { nil }

  /// The default implementation returns true, which does not count as an answer of the application (R5.4).
  public func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    DelegateMethod.willFinishLaunching.recordAbsence(in: self)
    return true
  }

  /// The default implementation returns true, which does not count as an answer of the application (R5.4).
  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    DelegateMethod.didFinishLaunching.recordAbsence(in: self)
    return true
  }

  /// The default implementation does nothing.
  public func applicationDidFinishLaunching(_ application: Application) {}

  /// The default implementation opens nothing; the older form is called (R5.10).
  public func application(
    _ application: Application, open url: URL, options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool {
    DelegateMethod.open.recordAbsence(in: self)
    return false
  }

  /// The default implementation opens nothing; the method for one URL is called for each document.
  public func application(_ application: Application, open urls: [URL]) {
    DelegateMethod.openTogether.recordAbsence(in: self)
  }

  /// The default implementation opens nothing; the oldest form is called (R5.10).
  public func application(
    _ application: Application, open url: URL, sourceApplication: String?, annotation: Any
  ) -> Bool {
    DelegateMethod.openWithSource.recordAbsence(in: self)
    return false
  }

  /// The default implementation returns false: the URL was not handled.
  public func application(_ application: Application, handleOpen url: URL) -> Bool { false }

  /// The default implementation returns false: the link was not handled.
  public func application(
    _ application: Application, continue userActivity: UserActivity,
    restorationHandler: @escaping ([Any]?) -> Void
  ) -> Bool { false }

  /// The default implementation calls the completion handler with false.
  public func application(
    _ application: Application, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    completionHandler(false)
  }

  /// The default implementation returns true.
  public func applicationShouldHandleReopen(
    _ application: Application, hasVisibleWindows: Bool
  ) -> Bool { true }

  /// The default implementation does nothing.
  public func applicationWillEnterForeground(_ application: Application) {}

  /// The default implementation does nothing.
  public func applicationDidBecomeActive(_ application: Application) {}

  /// The default implementation does nothing.
  public func applicationWillResignActive(_ application: Application) {}

  /// The default implementation does nothing.
  public func applicationDidEnterBackground(_ application: Application) {}
}
