internal import BusContract

extension Application {
  /// Names what may be known about a launch (R5.6).
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The URL that the application was launched to open: `URL`.
    public static let url = Self(rawValue: Key.url)
    /// Who asked, when it is an application of the same team (R5.23): `String`.
    public static let sourceApplication = Self(rawValue: Key.sourceApplication)
    /// What came with the URL: a property list value.
    public static let annotation = Self(rawValue: Key.annotation)
    /// The quick action that launched the application: `ApplicationShortcutItem`.
    public static let shortcutItem = Self(rawValue: Key.shortcutItem)
    /// The universal link that the application was launched for: `[LaunchOptionsKey: Any]`, in which
    /// `userActivityType` is a `String`.
    public static let userActivityDictionary = Self(rawValue: "user-activity-dictionary")
    /// In the dictionary above: `UserActivity.typeBrowsingWeb` (R5.6).
    public static let userActivityType = Self(rawValue: Key.userActivityType)
    /// The path of the launch image for the URL (R1.41): `String`. Not of UIKit.
    public static let launchImage = Self(rawValue: Key.launchImage)
    /// True when the application is to start without showing itself: `Bool`. Not of UIKit.
    public static let hidden = Self(rawValue: Key.hidden)
    /// True when it is to start without restoring what it did last: `Bool`. Not of UIKit.
    public static let fresh = Self(rawValue: Key.fresh)
  }

  /// Names what may be known about a URL that arrives (R5.23, R5.24).
  public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Who asked, when it is an application of the same team: `String`.
    public static let sourceApplication = Self(rawValue: Key.sourceApplication)
    /// What came with the URL: a property list value.
    public static let annotation = Self(rawValue: Key.annotation)
    /// Whether a document may be used where it is; absent means copy it first: `Bool`.
    public static let openInPlace = Self(rawValue: Key.openInPlace)
    /// What lets a window of this application come to the front; good once: `String`. Not of UIKit.
    public static let activationToken = Self(rawValue: Key.activationToken)
    /// The document, open for reading, when it came so: `OpenDocument`. Not of UIKit.
    public static let document = Self(rawValue: Key.descriptor)
  }

  /// Names what may be asked of an open request.
  public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Open only if an installed application claims the URL as a universal link (R4.7): `Bool`.
    public static let universalLinksOnly = Self(rawValue: Key.universalLinksOnly)
  }
}
