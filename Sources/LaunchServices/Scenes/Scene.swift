public import FoundationEssentials

/// The part of an application that URLs and quick actions are handed to. There is one.
@MainActor public final class Scene {
  public let session: SceneSession
  public let delegate: any SceneDelegate

  init(session: SceneSession, delegate: any SceneDelegate) {
    self.session = session
    self.delegate = delegate
  }
}

/// UIKit tells scenes with windows from those without; here they are the same.
public typealias WindowScene = Scene

/// What a scene belongs to. It ends with the process.
@MainActor public final class SceneSession {
  public let persistentIdentifier: String
  init(persistentIdentifier: String) { self.persistentIdentifier = persistentIdentifier }
}

extension Scene {
  /// Why the scene was made (R5.16).
  @MainActor public final class ConnectionOptions {
    /// Empty when no URL launched the application. Without order (R5.15).
    public let urlContexts: Set<OpenURLContext>
    /// Empty when no universal link launched the application (R5.20).
    public let userActivities: Set<UserActivity>
    public let shortcutItem: ApplicationShortcutItem?
    /// Who asked, when it is an application of the same team (R5.23).
    public let sourceApplication: String?
    /// The path of the launch image for the URL (R1.41). Not of UIKit.
    public let launchImage: String?
    /// The application is to start without showing itself. Not of UIKit.
    public let isHidden: Bool
    /// The application is to start without restoring what it did last. Not of UIKit.
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

  /// What is known about a URL that arrives (R5.23, R5.24).
  @MainActor public final class OpenURLOptions {
    /// Who asked, when it is an application of the same team.
    public let sourceApplication: String?
    /// A property list value.
    public let annotation: Any?
    /// Whether a document may be used where it is; otherwise copy it first.
    public let openInPlace: Bool
    /// What lets a window of this application come to the front; good once. Not of UIKit.
    public let activationToken: String?
    /// The document, open for reading, when it came so. Not of UIKit.
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

/// One URL that arrives. Two with the same URL are two: each was opened by somebody.
@MainActor public final class OpenURLContext: Hashable {
  public let url: URL
  public let options: Scene.OpenURLOptions

  init(url: URL, options: Scene.OpenURLOptions) {
    self.url = url
    self.options = options
  }

  public nonisolated static func == (left: OpenURLContext, right: OpenURLContext) -> Bool {
    left === right
  }
  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
