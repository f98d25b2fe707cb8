/// What happens to the one scene of a scene application. Every method may be left out.
@MainActor public protocol SceneDelegate: AnyObject {
  init()

  /// The scene is there, with the URLs or the quick action that launched the application (R5.13).
  func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions)

  /// URLs have arrived while the application runs. The set has no order (R5.15).
  func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>)

  /// A universal link has arrived while the application runs (R5.20).
  func scene(_ scene: Scene, continue userActivity: UserActivity)

  /// A quick action was chosen. Call the completion handler once (R5.22).
  func windowScene(
    _ windowScene: WindowScene, performActionFor shortcutItem: ApplicationShortcutItem,
    completionHandler: @escaping (Bool) -> Void)

  func sceneWillEnterForeground(_ scene: Scene)
  func sceneDidBecomeActive(_ scene: Scene)
  func sceneWillResignActive(_ scene: Scene)
  func sceneDidEnterBackground(_ scene: Scene)
}

/// UIKit tells scenes with windows from those without; here they are the same.
public typealias WindowSceneDelegate = SceneDelegate

extension SceneDelegate {
  public func scene(
    _ scene: Scene, willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions
  ) {}

  public func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>) {
    DelegateMethod.sceneOpen.noteAbsence(in: self)
  }

  public func scene(_ scene: Scene, continue userActivity: UserActivity) {
    DelegateMethod.sceneContinue.noteAbsence(in: self)
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
