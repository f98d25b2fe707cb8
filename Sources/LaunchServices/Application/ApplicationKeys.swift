internal import BusContract

extension Application {
  /// The keys of the launch options (R5.6).
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The name of the key.
    public let rawValue: String
    /// Creates the key with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The URL that the application was launched to open: `URL`.
    public static let url = Self(rawValue: Key.url)
    /// The bundle identifier of the opener, when it belongs to the same team (R5.23): `String`.
    public static let sourceApplication = Self(rawValue: Key.sourceApplication)
    /// The annotation that the opener sent with the URL: a property list value.
    public static let annotation = Self(rawValue: Key.annotation)
    /// The quick action that launched the application: `ApplicationShortcutItem`.
    public static let shortcutItem = Self(rawValue: Key.shortcutItem)
    /// The universal link that the application was launched for: `[LaunchOptionsKey: Any]`, in which
    /// `userActivityType` is a `String`.
    public static let userActivityDictionary = Self(rawValue: "user-activity-dictionary")
    /// The type, a key of the dictionary under `userActivityDictionary`: `UserActivity.typeBrowsingWeb` (R5.6).
    public static let userActivityType = Self(rawValue: Key.userActivityType)
    /// The path of the launch image for the URL (R1.41): `String`. Not in UIKit.
    public static let launchImage = Self(rawValue: Key.launchImage)
    /// Whether the application should start without showing a window: `Bool`. Not in UIKit.
    public static let hidden = Self(rawValue: Key.hidden)
    /// Whether the application should start without restoring its last state: `Bool`. Not in UIKit.
    public static let fresh = Self(rawValue: Key.fresh)
  }

  /// The keys of the options of a URL that the application opens (R5.23, R5.24).
  public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The name of the key.
    public let rawValue: String
    /// Creates the key with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bundle identifier of the opener, when it belongs to the same team: `String`.
    public static let sourceApplication = Self(rawValue: Key.sourceApplication)
    /// The annotation that the opener sent with the URL: a property list value.
    public static let annotation = Self(rawValue: Key.annotation)
    /// Whether the application may use the document in place; when absent, copy the document first: `Bool`.
    public static let openInPlace = Self(rawValue: Key.openInPlace)
    /// An XDG activation token, which lets a window of this application come to the front once: `String`. Not in UIKit.
    public static let activationToken = Self(rawValue: Key.activationToken)
    /// The document, open for reading, when the opener passed a file descriptor: `OpenDocument`. Not in UIKit.
    public static let document = Self(rawValue: Key.descriptor)
  }

  /// The keys of the options of `open(_:options:)`.
  public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The name of the key.
    public let rawValue: String
    /// Creates the key with a name. An open with a key that is not listed here fails.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Open only if an installed application claims the URL as a universal link (R4.7): `Bool`.
    public static let universalLinksOnly = Self(rawValue: Key.universalLinksOnly)
  }
}
