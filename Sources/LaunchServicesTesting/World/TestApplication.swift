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
    /// The property list is `NAME.app/Info.plist`.
    case iOS
    /// The property list is `NAME.app/Contents/Info.plist`.
    case macOS
  }

  /// What its executable is.
  public enum Executable: Hashable, Sendable {
    /// The scripted handler, as a file of its own.
    case scripted
    /// A file with these contents; the permissions say whether it may be run.
    case file(String, permissions: Int)
    /// No file: the property list names a program that does not exist.
    case missing
  }

  /// The bundle identifier.
  public var identifier: String
  /// The name of the bundle, without `.app`; nil for the identifier.
  public var bundleName: String?
  /// What the program does.
  public var script: HandlerScript
  /// The schemes that the application claims: `CFBundleURLSchemes`.
  public var schemes: [String] = []
  /// The schemes that the application may ask about: `LSApplicationQueriesSchemes`.
  public var queries: [String] = []
  /// The SDK: `DTSDKName`, such as `iphoneos26.0` or `macosx26.0`.
  public var sdk: String?
  /// The version: `CFBundleVersion`; nil to leave the key out.
  public var version: String?
  /// The team: `TeamIdentifier`; nil to leave the key out.
  public var team: String?
  /// The variables of the application's processes: `LSEnvironment`.
  public var environment: [String: String] = [:]
  /// The types of the static quick actions: `UIApplicationShortcutItemType`.
  public var shortcutItems: [String] = []
  /// Keys of the property list that have no property here, or another value than usual.
  public var otherKeys: [String: PropertyListValue] = [:]
  /// Other files of the bundle, by their paths in it.
  public var otherFiles: [String: String] = [:]
  /// Where the application is installed.
  public var place = Place.userFolder
  /// How the files of the bundle lie.
  public var layout = Layout.iOS
  /// What the executable of the bundle is.
  public var executable = Executable.scripted

  /// Creates an application without schemes, for the user's folder, whose program is the scripted handler.
  public init(_ identifier: String, _ script: HandlerScript = .delegate()) {
    self.identifier = identifier
    self.script = script
  }
}
