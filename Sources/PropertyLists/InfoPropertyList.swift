internal import FoundationEssentials
package import LaunchRules

/// Reads `Info.plist` files and loose property lists, XML or binary.
package enum InfoPropertyList {
  /// Maximum size of the file, in bytes; larger files are refused. The largest known real file has 67 KB.
  package static let largestSize = 4 << 20

  /// Always returns a result: when `declaration` is nil, `diagnostics` contains an error.
  package static func read(
    _ bytes: [UInt8], at location: BundleLocation, variables: BuildVariables = .none,
    isSystem: Bool = false
  ) -> PropertyListReading {
    let context = ReadingContext(location: location, variables: variables, isSystem: isSystem)
    let declaration = context.decode(
      Contents.self,
      failure: .init(
        severity: .error, consequence: "the application was not registered",
        excess: "the property list expands to far more values than an application declares",
        explain: { Refusal(explaining: $0, in: bytes) })
    ) { () throws(Refusal) in try HostileInput.admit(bytes) }?.declaration
    return PropertyListReading(
      declaration: declaration, diagnostics: context.finish(),
      refusedSchemes: context.refusedSchemes, openVariables: context.openVariables)
  }

  /// The top level of the property list, for the decoder.
  private struct Contents: DecodableWithConfiguration {
    let declaration: ApplicationDeclaration?

    init(from decoder: any Decoder, configuration context: ReadingContext) throws {
      guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
        throw Refusal(
          problem: "the top level of the property list is not a readable dictionary",
          advice: "put the keys of the application into one <dict>")
      }
      declaration = ApplicationDeclaration(
        reading: LenientDictionary(container, path: "", context: context), context)
    }
  }
}

extension ApplicationDeclaration {
  /// Nil, with an error in the diagnostics, when the application has no valid identifier. The other keys are
  /// read nevertheless, so that the diagnostics are complete.
  init?(reading top: LenientDictionary, _ context: ReadingContext) {
    let identifier = top.identifier(context)
    let name = top.text("CFBundleName")
    let displayName = top.text("CFBundleDisplayName")
    let version = top.bundleVersion(context)
    let marketingVersion = top.text("CFBundleShortVersionString")
    let bridge = top.bridge(context, to: identifier)
    let program = bridge ?? top.program(context)
    let urlTypes = top.urlTypes(context)
    let platform = top.platform(context)
    let linkedSDK = top.linkedSDK(context)
    let queriesSchemes = top.queriesSchemes(context, platform: platform, linkedSDK: linkedSDK)
    let usesScenes =
      top.dictionary("UIApplicationSceneManifest") != nil
      || context.variables.generatesSceneManifest
    let environment = top.environment(context)
    let prohibitsMultipleInstances = top.truth("LSMultipleInstancesProhibited")
    let exitsOnSuspend = top.truth("UIApplicationExitsOnSuspend")
    let shortcutItems = top.shortcutItems(context)
    let launchImageName = top.launchImageName(context)
    let isDBusActivatable = top.isDBusActivatable(context, identifier)
    let isFallbackHandler = top.truth("LSIsFallbackHandler")
    let iconFile = top.fileName("CFBundleIconFile", context)
    let team = top.team(context)
    let webHosts = top.webHosts(context)
    let activationPolicy = top.activationPolicy
    let documents = top.documents(context, identifier)
    let associatedDomains = top.associatedDomains(context)
    let userActivityTypes = top.list("NSUserActivityTypes") { $0.text()?.text }
    top.reportMisspeltKeys(context)
    guard let identifier else { return nil }
    self.init(
      identifier: identifier, name: name, displayName: displayName, version: version,
      marketingVersion: marketingVersion, program: program, urlTypes: urlTypes,
      queriesSchemes: queriesSchemes, platform: platform, linkedSDK: linkedSDK,
      usesScenes: usesScenes, environment: environment,
      prohibitsMultipleInstances: prohibitsMultipleInstances, exitsOnSuspend: exitsOnSuspend,
      shortcutItems: shortcutItems, launchImageName: launchImageName,
      isDBusActivatable: isDBusActivatable, isFallbackHandler: isFallbackHandler,
      iconFile: iconFile, team: team, webHosts: webHosts, activationPolicy: activationPolicy,
      userActivityTypes: userActivityTypes, documents: documents,
      associatedDomains: associatedDomains)
    if bridge != nil {
      // One process of the bridge serves all opens, and is no process of the application.
      self.prohibitsMultipleInstances = true
      if activationPolicy == .regular { self.activationPolicy = .accessory }
    }
  }
}

/// The result of reading one property list: a declaration or an error, and all diagnostics.
package struct PropertyListReading: Hashable, Sendable {
  /// Nil when the application cannot be registered.
  package var declaration: ApplicationDeclaration?
  /// In the order of their detection.
  package var diagnostics: [Diagnostic]
  /// The places of the texts in `CFBundleURLSchemes` that are no schemes.
  package var refusedSchemes: [String] = []
  /// The variables without a value in the keys that are read, except in the command line of the program, each once.
  package var openVariables: [OpenVariable] = []
}
