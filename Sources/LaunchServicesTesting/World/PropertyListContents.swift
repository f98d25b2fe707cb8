internal import FoundationEssentials

/// The keys that a test application writes into its property list.
struct PropertyListContents: Encodable {
  struct URLType: Encodable {
    var CFBundleURLName: String
    var CFBundleURLSchemes: [String]
  }

  struct ShortcutItem: Encodable {
    var UIApplicationShortcutItemType: String
    var UIApplicationShortcutItemTitle: String
  }

  var CFBundleIdentifier: String
  var CFBundleExecutable: String
  var CFBundleVersion: String?
  var CFBundleURLTypes: [URLType]?
  var LSApplicationQueriesSchemes: [String]?
  var DTSDKName: String?
  var TeamIdentifier: String?
  var LSEnvironment: [String: String]
  var UIApplicationSceneManifest: [String: String]?
  var UIApplicationShortcutItems: [ShortcutItem]?

  init(_ application: TestApplication) {
    CFBundleIdentifier = application.identifier
    CFBundleExecutable = application.executableName
    CFBundleVersion = application.version
    if !application.schemes.isEmpty {
      CFBundleURLTypes = [
        URLType(
          CFBundleURLName: application.identifier, CFBundleURLSchemes: application.schemes)
      ]
    }
    if !application.queries.isEmpty { LSApplicationQueriesSchemes = application.queries }
    DTSDKName = application.sdk
    TeamIdentifier = application.team
    LSEnvironment = application.environment.merging(application.scriptVariables) { $1 }
    if application.script.usesScenes { UIApplicationSceneManifest = [:] }
    if !application.shortcutItems.isEmpty {
      UIApplicationShortcutItems = application.shortcutItems.map {
        ShortcutItem(UIApplicationShortcutItemType: $0, UIApplicationShortcutItemTitle: $0)
      }
    }
  }

  /// As XML.
  func data() throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return try encoder.encode(self)
  }
}

extension TestApplication {
  var executableName: String { "program" }

  /// How the scripted handler learns what to do.
  var scriptVariables: [String: String] {
    executable == .scripted ? [HandlerScript.variable: DirectorContract.encode(script)] : [:]
  }
}
