/// What one property list says about its application.
package struct ApplicationDeclaration: Hashable, Sendable {
  package var identifier: BundleIdentifier
  /// `CFBundleName`.
  package var name: String?
  /// `CFBundleDisplayName`.
  package var displayName: String?
  /// `CFBundleVersion`, which decides between copies of one application (R2.20).
  package var version: BundleVersion
  /// `CFBundleShortVersionString`, for people only.
  package var marketingVersion: String?
  package var program: Program
  package var urlTypes: [URLTypeDeclaration]
  /// `LSApplicationQueriesSchemes` as written and in order, because the cap counts entries as
  /// written (R3.6). Empty when the key is absent.
  package var queriesSchemes: [String]
  package var platform: Platform
  package var linkedSDK: LinkedSDK
  /// The property list has a scene manifest: URLs come by the scene lifecycle (R1.36, R5.13).
  package var usesScenes: Bool
  /// `LSEnvironment` (R1.32).
  package var environment: [String: String]
  /// `LSMultipleInstancesProhibited` (R1.29).
  package var prohibitsMultipleInstances: Bool
  /// `UIApplicationExitsOnSuspend` (R1.38).
  package var exitsOnSuspend: Bool
  /// `UIApplicationShortcutItems`, in the order written (R1.39).
  package var shortcutItems: [ShortcutItem]
  /// What the names of its launch images begin with (R1.41).
  package var launchImageName: String
  /// The application exports `org.freedesktop.Application` under its identifier.
  package var isDBusActivatable: Bool
  /// `LSIsFallbackHandler`, a key of ours: its claims count when nobody else has one.
  package var isFallbackHandler: Bool
  /// `CFBundleIconFile`: the name of a file in the bundle.
  package var iconFile: String?
  /// The signing team, from `AppIdentifierPrefix`, a team key or the entitlements; nil when unknown.
  package var team: String?
  /// Of a system application: the hosts whose web URLs it gets instead of the browser (R2.12).
  package var webHosts: [WebHost]
  package var activationPolicy: ActivationPolicy
  /// Those that make it eligible as a default application (R1.44–R1.48).
  package var entitlements: Set<DefaultApplicationEntitlement>
  /// The documents that it opens, and the types that it declares.
  package var documents: DocumentDeclarations
  /// The domains whose web URLs it may get as universal links (R8.1), in the order written.
  package var associatedDomains: [AssociatedDomain]

  package init(
    identifier: BundleIdentifier, name: String? = nil, displayName: String? = nil,
    version: BundleVersion = BundleVersion(0), marketingVersion: String? = nil,
    program: Program = .missing, urlTypes: [URLTypeDeclaration] = [],
    queriesSchemes: [String] = [], platform: Platform = .iOS, linkedSDK: LinkedSDK = .newest,
    usesScenes: Bool = false, environment: [String: String] = [:],
    prohibitsMultipleInstances: Bool = false, exitsOnSuspend: Bool = false,
    shortcutItems: [ShortcutItem] = [], launchImageName: String = LaunchImage.usualName,
    isDBusActivatable: Bool = false, isFallbackHandler: Bool = false, iconFile: String? = nil,
    team: String? = nil, webHosts: [WebHost] = [], activationPolicy: ActivationPolicy = .regular,
    entitlements: Set<DefaultApplicationEntitlement> = [],
    documents: DocumentDeclarations = .none, associatedDomains: [AssociatedDomain] = []
  ) {
    self.identifier = identifier
    self.name = name
    self.displayName = displayName
    self.version = version
    self.marketingVersion = marketingVersion
    self.program = program
    self.urlTypes = urlTypes
    self.queriesSchemes = queriesSchemes
    self.platform = platform
    self.linkedSDK = linkedSDK
    self.usesScenes = usesScenes
    self.environment = environment
    self.prohibitsMultipleInstances = prohibitsMultipleInstances
    self.exitsOnSuspend = exitsOnSuspend
    self.shortcutItems = shortcutItems
    self.launchImageName = launchImageName
    self.isDBusActivatable = isDBusActivatable
    self.isFallbackHandler = isFallbackHandler
    self.iconFile = iconFile
    self.team = team
    self.webHosts = webHosts
    self.activationPolicy = activationPolicy
    self.entitlements = entitlements
    self.documents = documents
    self.associatedDomains = associatedDomains
  }

  /// What people read: the display name, else the name (R1.11), else the identifier.
  package var visibleName: String { displayName ?? name ?? identifier.text }
}

/// How the application's process is started.
package enum Program: Hashable, Sendable {
  /// `CFBundleExecutable`: the absolute paths where the bundle's layout puts it, best first.
  case executable(candidates: [String])
  /// `ProgramArguments` of a loose property list: the program, then its arguments. The program is
  /// an absolute path, or a bare name that is looked up in `PATH`.
  case arguments([String])
  /// Neither key: the application cannot be launched (−10827).
  case missing
}
