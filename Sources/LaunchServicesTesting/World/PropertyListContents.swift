internal import FoundationEssentials

extension TestApplication {
  /// The property list of the application, as XML.
  func propertyList() throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return try encoder.encode(keys.merging(otherKeys) { $1 })
  }

  private var keys: [String: PropertyListValue] {
    var keys: [String: PropertyListValue] = [
      "CFBundleIdentifier": .string(identifier), "CFBundleExecutable": .string(executableName),
    ]
    keys["CFBundleVersion"] = version.map(PropertyListValue.string)
    keys["DTSDKName"] = sdk.map(PropertyListValue.string)
    keys["TeamIdentifier"] = team.map(PropertyListValue.string)
    if !schemes.isEmpty {
      keys["CFBundleURLTypes"] = [
        ["CFBundleURLName": .string(identifier), "CFBundleURLSchemes": .strings(schemes)]
      ]
    }
    if !queries.isEmpty { keys["LSApplicationQueriesSchemes"] = .strings(queries) }
    if script.usesScenes { keys["UIApplicationSceneManifest"] = [:] }
    if !shortcutItems.isEmpty {
      keys["UIApplicationShortcutItems"] = .array(
        shortcutItems.map {
          [
            "UIApplicationShortcutItemType": .string($0),
            "UIApplicationShortcutItemTitle": .string($0),
          ]
        })
    }
    if !environment.isEmpty {
      keys["LSEnvironment"] = .dictionary(environment.mapValues(PropertyListValue.string))
    }
    return keys
  }

  var executableName: String { "program" }
}
