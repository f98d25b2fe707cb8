public import FoundationEssentials

/// An application's life and what it is asked to open.
///
/// Mark the class `@main`. Every method may be left out; a launch method that is left out has no
/// voice in whether the URL is delivered (R5.4). A method must be in the class that names this
/// protocol: one that only a subclass has is not seen.
@MainActor public protocol ApplicationDelegate: AnyObject {
  init()

  /// The delegate of a scene application, one whose property list has
  /// `UIApplicationSceneManifest`. UIKit reads the class name from the manifest.
  static var sceneDelegate: (any SceneDelegate.Type)? { get }

  /// Called first. The options are nil in a scene application (R5.13).
  /// - Returns: false to refuse the URL that launched the application (R5.4).
  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool

  /// Called second, with the same options.
  /// - Returns: false to refuse the URL that launched the application (R5.4), or to say that the
  ///   quick action in the options has been performed already (R5.22).
  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool

  /// Called when the method above is left out (R5.5).
  func applicationDidFinishLaunching(_ application: Application)

  /// A URL has arrived.
  /// - Returns: whether it was handled; the opener is told, but need not care (R5.9).
  func application(
    _ application: Application, open url: URL, options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool

  /// Documents have arrived that were opened together, as AppKit hands them over (R5.28, R5.30). One that leaves it
  /// out gets each by the method above.
  func application(_ application: Application, open urls: [URL])

  /// The older form, called when the one above is left out (R5.10).
  func application(
    _ application: Application, open url: URL, sourceApplication: String?, annotation: Any
  ) -> Bool

  /// The oldest form, called when both above are left out (R5.10).
  func application(_ application: Application, handleOpen url: URL) -> Bool

  /// A universal link has arrived (R5.20). Not called when a launch method refused it (R5.21).
  /// - Parameter restorationHandler: UIKit restores the state of a screen with it; here it does nothing.
  /// - Returns: whether it was handled; the opener is told, but need not care.
  func application(
    _ application: Application, continue userActivity: UserActivity,
    restorationHandler: @escaping ([Any]?) -> Void
  ) -> Bool

  /// A quick action was chosen. Call the completion handler once (R5.22).
  func application(
    _ application: Application, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void)

  /// The application was opened once more, without anything to open (R5.32).
  /// - Returns: true to have the usual done, which is nothing here. Scene applications are not asked.
  func applicationShouldHandleReopen(
    _ application: Application, hasVisibleWindows: Bool
  ) -> Bool

  func applicationWillEnterForeground(_ application: Application)
  func applicationDidBecomeActive(_ application: Application)
  func applicationWillResignActive(_ application: Application)
  func applicationDidEnterBackground(_ application: Application)
}

extension ApplicationDelegate {
  /// Checks in with the daemon and runs the application until the bus goes away.
  ///
  /// The process ends with 0 when the bus goes away; with 69 when bus or daemon cannot be reached,
  /// 75 when the application runs already, 77 when the daemon does not believe that this is the
  /// application, and 78 when the property list asks for a scene delegate that is not there. The
  /// reason is on standard error.
  public static func main() { HandlerProcess.run(Self.self) }

  public static var sceneDelegate: (any SceneDelegate.Type)? { nil }

  public func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    DelegateMethod.willFinishLaunching.noteAbsence(in: self)
    return true
  }

  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    DelegateMethod.didFinishLaunching.noteAbsence(in: self)
    return true
  }

  public func applicationDidFinishLaunching(_ application: Application) {}

  public func application(
    _ application: Application, open url: URL, options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool {
    DelegateMethod.open.noteAbsence(in: self)
    return false
  }

  public func application(_ application: Application, open urls: [URL]) {
    DelegateMethod.openTogether.noteAbsence(in: self)
  }

  public func application(
    _ application: Application, open url: URL, sourceApplication: String?, annotation: Any
  ) -> Bool {
    DelegateMethod.openWithSource.noteAbsence(in: self)
    return false
  }

  public func application(_ application: Application, handleOpen url: URL) -> Bool { false }

  public func application(
    _ application: Application, continue userActivity: UserActivity,
    restorationHandler: @escaping ([Any]?) -> Void
  ) -> Bool { false }

  public func application(
    _ application: Application, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    completionHandler(false)
  }

  public func applicationShouldHandleReopen(
    _ application: Application, hasVisibleWindows: Bool
  ) -> Bool { true }

  public func applicationWillEnterForeground(_ application: Application) {}
  public func applicationDidBecomeActive(_ application: Application) {}
  public func applicationWillResignActive(_ application: Application) {}
  public func applicationDidEnterBackground(_ application: Application) {}
}
