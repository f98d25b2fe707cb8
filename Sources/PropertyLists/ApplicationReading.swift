internal import LaunchRules

extension ApplicationDeclaration {
  /// Nil, with an error among the diagnostics, when the application has no usable identifier. The
  /// rest is read all the same, so that a person sees everything odd at once.
  init?(reading top: LenientDictionary, _ context: ReadingContext) {
    let identifier = top.identifier(context)
    let name = top.text("CFBundleName")
    let displayName = top.text("CFBundleDisplayName")
    let version = top.bundleVersion(context)
    let marketingVersion = top.text("CFBundleShortVersionString")
    let program = top.program(context)
    let urlTypes = top.urlTypes(context)
    let platform = top.platform(context)
    let linkedSDK = top.linkedSDK(context)
    let queriesSchemes = top.queriesSchemes(context, platform: platform, linkedSDK: linkedSDK)
    let usesScenes = top.dictionary("UIApplicationSceneManifest") != nil
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
      documents: documents, associatedDomains: associatedDomains)
  }
}
