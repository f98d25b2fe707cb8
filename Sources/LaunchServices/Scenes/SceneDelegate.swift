/// Receives the events of the scene of a scene application. Every method is optional.
@MainActor public protocol SceneDelegate: AnyObject {
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

  func sceneWillEnterForeground(_ scene: Scene)
  func sceneDidBecomeActive(_ scene: Scene)
  func sceneWillResignActive(_ scene: Scene)
  func sceneDidEnterBackground(_ scene: Scene)
}

/// The same as without `Window`, which UIKit distinguishes.
public typealias WindowSceneDelegate = SceneDelegate

extension SceneDelegate {
  public func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions
  ) {}

  public func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>) {
    DelegateMethod.sceneOpen.recordAbsence(in: self)
  }

  public func scene(_ scene: Scene, continue userActivity: UserActivity) {
    DelegateMethod.sceneContinue.recordAbsence(in: self)
  }

  public func windowScene(
    _ windowScene: WindowScene, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void
  ) {
    completionHandler(false)
  }

  public func sceneWillEnterForeground(_ scene: Scene) {}
  public func sceneDidBecomeActive(_ scene: Scene) {}
  public func sceneWillResignActive(_ scene: Scene) {}
  public func sceneDidEnterBackground(_ scene: Scene) {}
}
