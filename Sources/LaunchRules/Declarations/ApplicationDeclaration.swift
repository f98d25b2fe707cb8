/// The contents of a property list of an application.
package struct ApplicationDeclaration: Hashable, Sendable {
  package var identifier: BundleIdentifier
  /// `CFBundleName`.
  package var name: String?
  /// `CFBundleDisplayName`.
  package var displayName: String?
  /// `CFBundleVersion`, which selects among copies of one application (R2.20).
  package var version: BundleVersion
  /// `CFBundleShortVersionString`, for display only.
  package var marketingVersion: String?
  package var program: Program
  package var urlTypes: [URLTypeDeclaration]
  /// `LSApplicationQueriesSchemes` unchanged and in order, because the limit counts all entries (R3.6). Empty
  /// without the key.
  package var queriesSchemes: [String]
  package var platform: Platform
  package var linkedSDK: LinkedSDK
  /// Whether the property list has a scene manifest, so that URLs are delivered through the scene lifecycle
  /// (R1.36, R5.13).
  package var usesScenes: Bool
  /// `LSEnvironment` (R1.32).
  package var environment: [String: String]
  /// `LSMultipleInstancesProhibited` (R1.29).
  package var prohibitsMultipleInstances: Bool
  /// `UIApplicationExitsOnSuspend` (R1.38).
  package var exitsOnSuspend: Bool
  /// `UIApplicationShortcutItems`, in the order written (R1.39).
  package var shortcutItems: [QuickAction]
  /// Prefix of the names of its launch images (R1.41).
  package var launchImageName: String
  /// Whether the application exports `org.freedesktop.Application` under its identifier.
  package var isDBusActivatable: Bool
  /// `LSIsFallbackHandler`, a key of Launch Services for Linux: the claims apply only when no other
  /// application has one.
  package var isFallbackHandler: Bool
  /// `CFBundleIconFile`: name of a file in the bundle.
  package var iconFile: String?
  /// The signing team, from `AppIdentifierPrefix`, a team key or the entitlements; nil when unknown.
  package var team: String?
  /// For a system application: the hosts of web URLs that open in it instead of the browser (R2.12).
  package var webHosts: [WebHost]
  package var activationPolicy: ActivationPolicy
  /// The entitlements that make it eligible as a default application (R1.44–R1.48).
  package var entitlements: Set<DefaultApplicationEntitlement>
  /// The document types that it opens, and the types that it declares.
  package var documents: DocumentDeclarations
  /// Whether the program of a desktop entry would be started without the URL, because its `Exec` has no place for URLs.
  package var dropsURLs = false
  /// Whether the program of a desktop entry would be started without the file.
  package var dropsDocuments = false
  /// Whether the application of a desktop entry is a terminal emulator, so that the programs in it are the user's own.
  package var isTerminal = false
  /// Whether the message bus starts the application of a desktop entry.
  package var isStartedByBus = false
  /// Whether the application of a property list has a desktop entry, too; see `DesktopTwinRule`.
  package var hasDesktopEntry = false
  /// The file name of the program of a desktop entry; nil when `Exec` has more words than the program, of which the first
  /// may be an interpreter.
  package var executableName: String?
  /// The domains whose web URLs it may receive as universal links (R8.1), in the order of the property list.
  package var associatedDomains: [AssociatedDomain]
  /// `NSUserActivityTypes`, in the order of the property list.
  package var userActivityTypes: [String]

  package init(
    identifier: BundleIdentifier, name: String? = nil, displayName: String? = nil,
    version: BundleVersion = BundleVersion(0), marketingVersion: String? = nil,
    program: Program = .missing, urlTypes: [URLTypeDeclaration] = [],
    queriesSchemes: [String] = [], platform: Platform = .iOS, linkedSDK: LinkedSDK = .newest,
    usesScenes: Bool = false, environment: [String: String] = [:],
    prohibitsMultipleInstances: Bool = false, exitsOnSuspend: Bool = false,
    shortcutItems: [QuickAction] = [], launchImageName: String = LaunchImage.usualName,
    isDBusActivatable: Bool = false, isFallbackHandler: Bool = false, iconFile: String? = nil,
    team: String? = nil, webHosts: [WebHost] = [], activationPolicy: ActivationPolicy = .regular,
    entitlements: Set<DefaultApplicationEntitlement> = [], userActivityTypes: [String] = [],
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
    self.userActivityTypes = userActivityTypes
  }

  /// The name for display: the display name, otherwise the name (R1.11), otherwise the identifier.
  package var visibleName: String { displayName ?? name ?? identifier.text }
}

/// How the application's process is started.
package enum Program: Hashable, Sendable {
  /// `CFBundleExecutable`: the possible absolute paths according to the layout of the bundle, best first.
  case executable(candidates: [String])
  /// `ProgramArguments` of a loose property list: the program, then its arguments. The program is an absolute
  /// path, or a name that is looked up in `PATH`.
  case arguments([String])
  /// Neither key is present: the application cannot be launched (−10827).
  case missing
}
