public import FoundationEssentials

/// The part of an application that receives URLs and quick actions. An application has one scene.
@MainActor public final class Scene {
  /// The session of the scene.
  public let session: SceneSession
  /// The scene delegate, an object of the class `ApplicationDelegate.sceneDelegate`.
  public let delegate: any SceneDelegate

  init(session: SceneSession, delegate: any SceneDelegate) {
    self.session = session
    self.delegate = delegate
  }
}

/// An alias, because UIKit distinguishes scenes with windows.
public typealias WindowScene = Scene

/// The session of a scene. It ends with the process.
@MainActor public final class SceneSession {
  /// The identifier of the session: `main`, because an application has one scene.
  public let persistentIdentifier: String
  init(persistentIdentifier: String) { self.persistentIdentifier = persistentIdentifier }
}

extension Scene {
  /// The URLs, links and quick action that the scene was created for (R5.16).
  @MainActor public final class ConnectionOptions {
    /// The URLs that launched the application, without order (R5.15).
    public let urlContexts: Set<OpenURLContext>
    /// The universal links that launched the application (R5.20).
    public let userActivities: Set<UserActivity>
    /// The quick action that launched the application (R5.22); nil for none.
    public let shortcutItem: ApplicationShortcutItem?
    /// The bundle identifier of the opener, when it belongs to the same team (R5.23).
    public let sourceApplication: String?
    /// The path of the launch image for the URL (R1.41). Not in UIKit.
    public let launchImage: String?
    /// Whether the application should start without showing a window. Not in UIKit.
    public let isHidden: Bool
    /// Whether the application should start without restoring its last state. Not in UIKit.
    public let isFresh: Bool

    init(
      urlContexts: Set<OpenURLContext>, userActivities: Set<UserActivity>,
      shortcutItem: ApplicationShortcutItem?,
      sourceApplication: String?, launchImage: String?, isHidden: Bool, isFresh: Bool
    ) {
      self.launchImage = launchImage
      self.isHidden = isHidden
      self.isFresh = isFresh
      self.urlContexts = urlContexts
      self.userActivities = userActivities
      self.shortcutItem = shortcutItem
      self.sourceApplication = sourceApplication
    }
  }

  /// The options of a URL that the application opens (R5.23, R5.24).
  @MainActor public final class OpenURLOptions {
    /// The bundle identifier of the opener, when it belongs to the same team.
    public let sourceApplication: String?
    /// The annotation that the opener sent with the URL, a property list value; nil for none.
    public let annotation: Any?
    /// Whether the application may use the document in place; otherwise copy the document first.
    public let openInPlace: Bool
    /// An XDG activation token, which lets a window of this application come to the front once. Not in UIKit.
    public let activationToken: String?
    /// The document, open for reading, when the opener passed a file descriptor. Not in UIKit.
    public let document: OpenDocument?

    init(
      sourceApplication: String?, annotation: Any?, openInPlace: Bool, activationToken: String?,
      document: OpenDocument? = nil
    ) {
      self.document = document
      self.activationToken = activationToken
      self.sourceApplication = sourceApplication
      self.annotation = annotation
      self.openInPlace = openInPlace
    }
  }
}

/// One open of a URL. Two opens of the same URL are not equal.
@MainActor public final class OpenURLContext: Hashable {
  /// The URL to open.
  public let url: URL
  /// The options of the URL, such as the opener.
  public let options: Scene.OpenURLOptions

  init(url: URL, options: Scene.OpenURLOptions) {
    self.url = url
    self.options = options
  }

  /// Whether both are the same open, that is, the same object.
  public nonisolated static func == (left: OpenURLContext, right: OpenURLContext) -> Bool {
    left === right
  }

  /// Hashes the identity of the object.
  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
