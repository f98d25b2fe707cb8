/// An application to install: what its property list says, and what its program does.
public struct TestApplication: Sendable {
  /// Where it is installed.
  public enum Place: Hashable, Sendable {
    /// In the user's folder of applications.
    case userFolder
    /// In the folder of applications that may claim reserved schemes.
    case systemFolder
    /// Elsewhere, and registered by its path.
    case registered
  }

  /// How its files lie.
  public enum Layout: Hashable, Sendable {
    /// `NAME.app/Info.plist`
    case iOS
    /// `NAME.app/Contents/Info.plist`
    case macOS
  }

  /// What its executable is.
  public enum Executable: Hashable, Sendable {
    /// The scripted handler, as a file of its own.
    case scripted
    /// A file with these contents; the permissions say whether it may be run.
    case file(String, permissions: Int)
    case missing
  }

  public var identifier: String
  /// Of the bundle, without `.app`; nil for the identifier.
  public var bundleName: String?
  public var script: HandlerScript
  public var schemes: [String] = []
  /// `LSApplicationQueriesSchemes`
  public var queries: [String] = []
  /// `DTSDKName`, such as `iphoneos26.0` or `macosx26.0`.
  public var sdk: String?
  public var version: String?
  /// `TeamIdentifier`
  public var team: String?
  /// `LSEnvironment`
  public var environment: [String: String] = [:]
  /// `UIApplicationShortcutItemType` of its quick actions.
  public var shortcutItems: [String] = []
  /// Keys of the property list that have no property here, or another value than usual.
  public var otherKeys: [String: PropertyListValue] = [:]
  /// Other files of the bundle, by their paths in it.
  public var otherFiles: [String: String] = [:]
  public var place = Place.userFolder
  public var layout = Layout.iOS
  public var executable = Executable.scripted

  public init(_ identifier: String, _ script: HandlerScript = .delegate()) {
    self.identifier = identifier
    self.script = script
  }
}
