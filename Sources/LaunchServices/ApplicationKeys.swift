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
  }

  /// Names what may be asked of an open request.
  public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Open only if an installed application claims the URL as a universal link (R4.7): `Bool`.
    public static let universalLinksOnly = Self(rawValue: Key.universalLinksOnly)
  }
}

/// A quick action: what a long press on the application's icon offers on iOS (R5.22).
public struct ApplicationShortcutItem: Hashable, Sendable {
  /// `UIApplicationShortcutItemType` of the property list. May look like a URL, and is none.
  public let type: String
  public init(type: String) { self.type = type }
}
