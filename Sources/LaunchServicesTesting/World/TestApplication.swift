/// An application to install: its property list, and the script of its program.
public struct TestApplication: Sendable {
  /// The place of an installation.
  public enum Place: Hashable, Sendable {
    /// In the user's folder of applications.
    case userFolder
    /// In the folder of applications that may claim reserved schemes.
    case systemFolder
    /// In another folder, and registered by its path.
    case registered
  }

  /// The layout of the bundle.
  public enum Layout: Hashable, Sendable {
    /// The property list is `NAME.app/Info.plist`.
    case iOS
    /// The property list is `NAME.app/Contents/Info.plist`.
    case macOS
  }

  /// The executable of the bundle.
  public enum Executable: Hashable, Sendable {
    /// The scripted handler, under its own name.
    case scripted
    /// A file with these contents; the permissions determine whether it is executable.
    case file(String, permissions: Int)
    /// No file: the property list names a program that does not exist.
    case missing
  }

  /// The bundle identifier.
  public var identifier: String
  /// The name of the bundle, without `.app`; nil for the identifier.
  public var bundleName: String?
  /// The script of the program.
  public var script: HandlerScript
  /// The schemes that the application claims: `CFBundleURLSchemes`.
  public var schemes: [String] = []
  /// The schemes that the application may query: `LSApplicationQueriesSchemes`.
  public var queries: [String] = []
  /// The SDK: `DTSDKName`, such as `iphoneos26.0` or `macosx26.0`.
  public var sdk: String?
  /// The version: `CFBundleVersion`; nil to omit the key.
  public var version: String?
  /// The team: `TeamIdentifier`; nil to omit the key.
  public var team: String?
  /// The variables of the application's processes: `LSEnvironment`.
  public var environment: [String: String] = [:]
  /// The types of the static quick actions: `UIApplicationShortcutItemType`.
  public var shortcutItems: [String] = []
  /// Further keys of the property list; they override the properties above.
  public var otherKeys: [String: PropertyListValue] = [:]
  /// Further files of the bundle, by their paths in it.
  public var otherFiles: [String: String] = [:]
  /// The place of the installation.
  public var place = Place.userFolder
  /// The layout of the bundle.
  public var layout = Layout.iOS
  /// The executable of the bundle.
  public var executable = Executable.scripted

  /// Creates an application without schemes, for the user's folder, whose program is the scripted handler.
  public init(_ identifier: String, _ script: HandlerScript = .delegate()) {
    self.identifier = identifier
    self.script = script
  }
}
