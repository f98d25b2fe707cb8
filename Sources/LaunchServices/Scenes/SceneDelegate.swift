/// Receives the events of the scene of a scene application. Every method is optional.
@MainActor public protocol SceneDelegate: AnyObject {
  /// Creates the delegate, after the launch methods of the application delegate have returned.
  init()

  /// Called once, with the URLs or the quick action that launched the application (R5.13).
  func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions)

  /// Opens URLs while the application runs. The set has no order (R5.15).
  func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>)

  /// Opens a universal link while the application runs (R5.20).
  func scene(_ scene: Scene, continue userActivity: UserActivity)

  /// Performs a quick action that the user chose. Call the completion handler once (R5.22).
  func windowScene(
    _ windowScene: WindowScene, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void)

  /// Called when the scene leaves the background, before it becomes active (R5.3).
  func sceneWillEnterForeground(_ scene: Scene)

  /// Called when the scene has become active: after the launch, and after each return to the front (R5.2, R5.3).
  func sceneDidBecomeActive(_ scene: Scene)

  /// Called when the scene stops being active, before it enters the background (R5.1).
  func sceneWillResignActive(_ scene: Scene)

  /// Called when the scene has entered the background; the process may be suspended afterwards (R5.1).
  func sceneDidEnterBackground(_ scene: Scene)
}

/// An alias, because UIKit distinguishes scenes with windows.
public typealias WindowSceneDelegate = SceneDelegate

extension SceneDelegate {
  /// The default implementation does nothing.
  public func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions
  ) {}

  /// The default implementation opens nothing; the receipts say that the URLs were not handled.
  public func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>) {
    DelegateMethod.sceneOpen.recordAbsence(in: self)
  }

  /// The default implementation opens nothing; the receipt says that the link was not handled.
  public func scene(_ scene: Scene, continue userActivity: UserActivity) {
    DelegateMethod.sceneContinue.recordAbsence(in: self)
  }

  /// The default implementation calls the completion handler with false.
  public func windowScene(
    _ windowScene: WindowScene, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    completionHandler(false)
  }

  /// The default implementation does nothing.
  public func sceneWillEnterForeground(_ scene: Scene) {}

  /// The default implementation does nothing.
  public func sceneDidBecomeActive(_ scene: Scene) {}

  /// The default implementation does nothing.
  public func sceneWillResignActive(_ scene: Scene) {}

  /// The default implementation does nothing.
  public func sceneDidEnterBackground(_ scene: Scene) {}
}
