/// The build variables whose values Xcode writes into the built property list by itself. A property list of a source
/// tree does not mention them, so their values count as keys of the property list.
package enum BuildVariableName {
  /// The team, such as `ABCDE12345`; counts before the keys of the property list.
  package static let team = "DEVELOPMENT_TEAM"
  /// The platform: `iphoneos`, `iphonesimulator` or `macosx`; counts before the keys of the property list.
  package static let platform = "PLATFORM_NAME"
  /// The SDK with its version, such as `iphoneos26.0`, or the version alone; counts before the keys of the property
  /// list.
  package static let sdk = "SDK_NAME"
  /// The SDK as a project names it, mostly without a version.
  package static let sdkRoot = "SDKROOT"
  /// The path of the entitlements. A relative path begins at `SRCROOT`, or else at the folder of the property list.
  /// The file counts instead of the ones beside the property list.
  package static let entitlements = "CODE_SIGN_ENTITLEMENTS"
  package static let sourceRoot = "SRCROOT"
  /// Whether Xcode adds the missing keys of the property list.
  package static let generatesPropertyList = "GENERATE_INFOPLIST_FILE"
  /// Precedes the name of a key that Xcode adds, such as `INFOPLIST_KEY_CFBundleDisplayName`.
  package static let generatedKeyPrefix = "INFOPLIST_KEY_"
  static let generatesSceneManifest =
    generatedKeyPrefix + "UIApplicationSceneManifest_Generation"

  /// All of the above that the reader of a property list uses, without the generated keys.
  package static let used = [
    team, platform, sdk, sdkRoot, entitlements, sourceRoot, generatesPropertyList,
    generatesSceneManifest,
  ]

  /// The keys that Xcode adds when they are missing, with the variable that has the value.
  package static let generated = [
    "CFBundleIdentifier": "PRODUCT_BUNDLE_IDENTIFIER", "CFBundleExecutable": "EXECUTABLE_NAME",
    "CFBundleName": "PRODUCT_NAME", "CFBundleVersion": "CURRENT_PROJECT_VERSION",
    "CFBundleShortVersionString": "MARKETING_VERSION",
  ]

  /// Variables that follow from others: the name, the variable that must be defined, and the value.
  static let derived = [
    ("AppIdentifierPrefix", team, "$(\(team))."),
    ("TeamIdentifierPrefix", team, "$(\(team))."),
    ("CFBundleIdentifier", "PRODUCT_BUNDLE_IDENTIFIER", "$(PRODUCT_BUNDLE_IDENTIFIER)"),
  ]
}

extension BuildVariables {
  /// The value of a key that Xcode adds to a property list without the key; nil for none.
  func generatedText(_ key: String) -> Expansion? {
    guard generates else { return nil }
    let name = BuildVariableName.generated[key] ?? BuildVariableName.generatedKeyPrefix + key
    guard isDefined(name) else { return nil }
    return expand("$(\(name))")
  }

  var generatesSceneManifest: Bool {
    generates && value(BuildVariableName.generatesSceneManifest).flatMap(TruthWord.read) == true
  }

  private var generates: Bool {
    value(BuildVariableName.generatesPropertyList).flatMap(TruthWord.read) == true
  }
}
