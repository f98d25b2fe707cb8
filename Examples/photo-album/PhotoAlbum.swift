import Foundation
import LaunchServices

/// A photo library. Other applications show an album with `myphotoapp:ALBUM?index=N`.
///
/// Its methods are those of an iOS application; the types have no prefix `UI`.
@main final class PhotoAlbum: ApplicationDelegate {
  /// Receives the URLs if the property list contains `UIApplicationSceneManifest`.
  static var sceneDelegate: (any SceneDelegate.Type)? { PhotoAlbumScene.self }

  func application(
    _ application: Application,
    open url: URL,
    options: [Application.OpenURLOptionsKey: Any] = [:]
  ) -> Bool {

    // Determine who sent the URL.
    let sendingAppID = options[.sourceApplication]
    print("source application = \(sendingAppID ?? "Unknown")")

    return showPhoto(url)
  }
}

/// Validates the URL, as any application may send one.
func showPhoto(_ url: URL) -> Bool {
  guard let components = NSURLComponents(url: url, resolvingAgainstBaseURL: true),
    let albumPath = components.path,
    let params = components.queryItems
  else {
    print("Invalid URL or album path missing")
    return false
  }

  if let photoIndex = params.first(where: { $0.name == "index" })?.value {
    print("albumPath = \(albumPath)")
    print("photoIndex = \(photoIndex)")
    return true
  } else {
    print("Photo index missing")
    return false
  }
}

/// The same application in the scene lifecycle.
final class PhotoAlbumScene: SceneDelegate {
  func scene(
    _ scene: Scene,
    willConnectTo session: SceneSession,
    options connectionOptions: Scene.ConnectionOptions
  ) {

    // Determine who sent the URL.
    if let urlContext = connectionOptions.urlContexts.first {

      let sendingAppID = urlContext.options.sourceApplication
      let url = urlContext.url
      print("source application = \(sendingAppID ?? "Unknown")")
      print("url = \(url)")

      _ = showPhoto(url)
    }
  }

  func scene(_ scene: Scene, openURLContexts contexts: Set<OpenURLContext>) {
    for context in contexts { _ = showPhoto(context.url) }
  }
}
