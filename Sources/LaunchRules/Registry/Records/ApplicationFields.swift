// The fields of an application in a record, in the order of writing.

extension RecordWriter {
  /// Writes all fields except property list and identifier, which come before them.
  mutating func write(_ application: InstalledApplication) {
    let declaration = application.declaration
    var flags = Flags()
    flags.set(.isSystem, application.isSystem)
    flags.set(.isMacOS, declaration.platform == .macOS)
    flags.set(.usesScenes, declaration.usesScenes)
    flags.set(.prohibitsMultipleInstances, declaration.prohibitsMultipleInstances)
    flags.set(.exitsOnSuspend, declaration.exitsOnSuspend)
    flags.set(.isDBusActivatable, declaration.isDBusActivatable)
    flags.set(.isFallbackHandler, declaration.isFallbackHandler)
    flags.set(.hasUsualLaunchImage, declaration.launchImageName == LaunchImage.usualName)
    flags.set(.isAccessory, declaration.activationPolicy == .accessory)
    flags.set(.isBackgroundOnly, declaration.activationPolicy == .prohibited)
    flags.set(.hasDocuments, declaration.documents != .none)
    flags.set(.isDesktopEntry, application.origin == .desktopEntry)
    flags.set(.dropsURLs, declaration.dropsURLs)
    flags.set(.dropsDocuments, declaration.dropsDocuments)
    flags.set(.isTerminal, declaration.isTerminal)
    flags.set(.isStartedByBus, declaration.isStartedByBus)
    flags.set(.hasDesktopEntry, declaration.hasDesktopEntry)
    write(UInt64(flags.rawValue))
    write(declaration.associatedDomains.map(\.text))
    write(UInt64(declaration.urlTypes.count))
    for type in declaration.urlTypes { write(type) }
    write(application.folder, after: application.propertyList)
    write(application.installedAt)
    write(application.stamp)
    write(declaration, after: application.propertyList)
    if application.origin == .desktopEntry { write(declaration.executableName) }
  }

  private mutating func write(_ type: URLTypeDeclaration) {
    write(UInt64(type.schemes.count))
    for scheme in type.schemes { write(scheme.text) }
    write(type.name)
    write(URLTypeDeclaration.Role.allCases.place(of: type.role))
    write(URLTypeDeclaration.Rank.allCases.place(of: type.rank))
    write(type.iconFile)
    write(desktopOrder: type.desktopOrder)
    write(type.spellings)
  }

  /// 0 for a claim of a property list.
  mutating func write(desktopOrder order: Int?) { write(UInt64(order.map { $0 + 1 } ?? 0)) }

  private mutating func write(_ declaration: ApplicationDeclaration, after path: String) {
    write(declaration.name)
    write(declaration.displayName)
    for part in [declaration.version.major, declaration.version.minor, declaration.version.patch] {
      write(UInt64(part))
    }
    write(declaration.marketingVersion)
    write(declaration.program, after: path)
    write(declaration.queriesSchemes)
    write(UInt64(declaration.linkedSDK.major))
    write(UInt64(declaration.linkedSDK.minor))
    write(declaration.environment.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
    write(UInt64(declaration.shortcutItems.count))
    for item in declaration.shortcutItems {
      write(item.type)
      write(item.title)
      write(item.subtitle)
      write(item.icon)
      write(item.userInfo)
    }
    if declaration.launchImageName != LaunchImage.usualName { write(declaration.launchImageName) }
    write(declaration.iconFile)
    write(declaration.team)
    write(declaration.webHosts.map(\.text))
    write(declaration.entitlements.map(\.rawValue).sorted())
    write(declaration.userActivityTypes)
    if declaration.documents != .none { write(declaration.documents) }
  }

  private mutating func write(_ program: Program, after path: String) {
    let (kind, texts): (UInt64, [String]) =
      switch program {
      case .missing: (0, [])
      case .executable(let candidates): (1, candidates)
      case .arguments(let arguments): (2, arguments)
      }
    write(kind)
    write(UInt64(texts.count))
    for text in texts { write(text, after: path) }
  }
}

extension ApplicationRecord {
  package var isSystem: Bool { flags.contains(.isSystem) }
  package var isDesktopEntry: Bool { flags.contains(.isDesktopEntry) }
  var hasDesktopEntry: Bool { flags.contains(.hasDesktopEntry) }
  package var isDBusActivatable: Bool { flags.contains(.isDBusActivatable) }
  /// Whether the application declares document types or types.
  var hasDocuments: Bool { flags.contains(.hasDocuments) }

  /// The claimed schemes, possibly with duplicates.
  var claims: [URLScheme] {
    guard hasApplication else { return [] }
    var reader = fields
    _ = reader.number()
    _ = reader.texts()
    var claims: [URLScheme] = []
    for _ in 0..<reader.count() { claims += reader.urlType(schemesOnly: true).schemes }
    return claims
  }

  /// The associated domains (R8.1).
  package var associatedDomains: [AssociatedDomain] {
    guard hasApplication else { return [] }
    var reader = fields
    _ = reader.number()
    return reader.associatedDomains()
  }

  /// The fields that determine the rank among the handlers of a scheme, decoded without the other fields; nil
  /// when the application cannot be registered.
  ///
  /// Decodes all schemes of the application. For many schemes, use `HandlingFieldsReader`.
  func handlingFields(of scheme: URLScheme) -> HandlingFields? {
    handlingFields { $0.contains(scheme) }?.first?.fields
  }

  /// The fields for each claimed scheme, and those without a claim.
  func allHandlingFields() -> (claims: [URLScheme: HandlingFields], noClaim: HandlingFields)? {
    guard let all = handlingFields(where: { !$0.isEmpty }), let first = all.first else {
      return nil
    }
    var claims: [URLScheme: HandlingFields] = [:]
    for (fields, schemes) in all {
      for scheme in schemes where claims[scheme] == nil { claims[scheme] = fields }
    }
    return (claims, first.fields.withoutClaim)
  }

  /// The fields with each URL type that is wanted, or without a claim when none is; never empty.
  private func handlingFields(
    where isWanted: ([URLScheme]) -> Bool
  ) -> [(fields: HandlingFields, schemes: [URLScheme])]? {
    guard let identifier else { return nil }
    var reader = fields
    let flags = Flags(rawValue: UInt32(truncatingIfNeeded: reader.number()))
    reader.skipTexts()
    var types: [URLTypeDeclaration] = []
    for _ in 0..<reader.count() {
      let type = reader.urlType(schemesOnly: true)
      if isWanted(type.schemes) { types.append(type) }
    }
    reader.skipTextAfterOther()
    let fields = HandlingFields(
      identifier: identifier, isSystem: flags.contains(.isSystem),
      isDesktopEntry: flags.contains(.isDesktopEntry), isMacOS: flags.contains(.isMacOS),
      isFallback: flags.contains(.isFallbackHandler), claim: nil,
      installedAt: reader.signedNumber())
    guard !types.isEmpty else { return [(fields, [])] }
    return types.map { type in
      var fields = fields
      fields.claim = type
      return (fields, type.schemes)
    }
  }

  /// Nil when the application cannot be registered.
  package var application: InstalledApplication? {
    guard let identifier else { return nil }
    let propertyList = propertyList
    var reader = fields
    let flags = Flags(rawValue: UInt32(truncatingIfNeeded: reader.number()))
    let associatedDomains = reader.associatedDomains()
    let urlTypes = (0..<reader.count()).map { _ in reader.urlType() }
    let folder = reader.text(after: propertyList)
    let installedAt = reader.signedNumber()
    let stamp = reader.text() ?? ""
    var declaration = reader.declaration(identifier, flags, after: propertyList)
    declaration.urlTypes = urlTypes
    declaration.associatedDomains = associatedDomains
    declaration.dropsURLs = flags.contains(.dropsURLs)
    declaration.dropsDocuments = flags.contains(.dropsDocuments)
    declaration.isTerminal = flags.contains(.isTerminal)
    declaration.isStartedByBus = flags.contains(.isStartedByBus)
    declaration.hasDesktopEntry = flags.contains(.hasDesktopEntry)
    if flags.contains(.isDesktopEntry) { declaration.executableName = reader.text() }
    return InstalledApplication(
      declaration: declaration, propertyList: propertyList, folder: folder,
      isSystem: flags.contains(.isSystem), installedAt: installedAt, stamp: stamp,
      origin: flags.contains(.isDesktopEntry) ? .desktopEntry : .propertyList)
  }

  private var flags: Flags {
    guard hasApplication else { return [] }
    var reader = fields
    return Flags(rawValue: UInt32(truncatingIfNeeded: reader.number()))
  }

  private var fields: RecordReader { RecordReader(bytes, at: identifierRange.upperBound) }
}

extension RecordReader {
  fileprivate mutating func urlType(schemesOnly: Bool = false) -> URLTypeDeclaration {
    let schemes = (0..<count()).map { _ in URLScheme(known: text() ?? "") }
    let name = schemesOnly ? skipText() : text()
    var type = URLTypeDeclaration(
      name: name, role: URLTypeDeclaration.Role.allCases[safe: number()] ?? .viewer,
      rank: URLTypeDeclaration.Rank.allCases[safe: number()] ?? .default, schemes: schemes,
      iconFile: schemesOnly ? skipText() : text(),
      desktopOrder: desktopOrder())
    if schemesOnly { skipTexts() } else { type.spellings = texts() }
    return type
  }

  fileprivate mutating func associatedDomains() -> [AssociatedDomain] {
    texts().compactMap { (try? AssociatedDomain.read("applinks:" + $0)) ?? nil }
  }

  mutating func desktopOrder() -> Int? {
    let number = Int(truncatingIfNeeded: number())
    return number > 0 ? number - 1 : nil
  }

  private mutating func skipText() -> String? {
    _ = textRange()
    return nil
  }

  fileprivate mutating func skipTexts() {
    for _ in 0..<count() { _ = textRange() }
  }

  /// Skips a text that was written with `write(_:after:)`.
  fileprivate mutating func skipTextAfterOther() { _ = text(after: "") }

  fileprivate mutating func declaration(
    _ identifier: BundleIdentifier, _ flags: Flags, after path: String
  ) -> ApplicationDeclaration {
    ApplicationDeclaration(
      identifier: identifier, name: text(), displayName: text(),
      version: BundleVersion(
        UInt32(truncatingIfNeeded: number()), UInt32(truncatingIfNeeded: number()),
        UInt32(truncatingIfNeeded: number())),
      marketingVersion: text(), program: program(after: path), queriesSchemes: texts(),
      platform: flags.contains(.isMacOS) ? .macOS : .iOS,
      linkedSDK: LinkedSDK(
        UInt16(truncatingIfNeeded: number()), UInt16(truncatingIfNeeded: number())),
      usesScenes: flags.contains(.usesScenes), environment: environment(),
      prohibitsMultipleInstances: flags.contains(.prohibitsMultipleInstances),
      exitsOnSuspend: flags.contains(.exitsOnSuspend),
      shortcutItems: (0..<count()).map { _ in
        QuickAction(
          type: text() ?? "", title: text() ?? "", subtitle: text(), icon: text(),
          userInfo: plainValues(depth: 1))
      },
      launchImageName: flags.contains(.hasUsualLaunchImage)
        ? LaunchImage.usualName : text() ?? "",
      isDBusActivatable: flags.contains(.isDBusActivatable),
      isFallbackHandler: flags.contains(.isFallbackHandler), iconFile: text(), team: text(),
      webHosts: texts().compactMap(WebHost.init), activationPolicy: flags.activationPolicy,
      entitlements: Set(texts().compactMap(DefaultApplicationEntitlement.init(rawValue:))),
      userActivityTypes: texts(),
      documents: flags.contains(.hasDocuments) ? documents() : .none)
  }

  private mutating func program(after path: String) -> Program {
    let kind = number()
    let texts = (0..<count()).map { _ in text(after: path) }
    return switch kind {
    case 1: .executable(candidates: texts)
    case 2: .arguments(texts)
    default: .missing
    }
  }

  private mutating func environment() -> [String: String] {
    let texts = texts()
    let pairs = stride(from: 1, to: texts.count, by: 2).map { (texts[$0 - 1], texts[$0]) }
    return Dictionary(pairs) { $1 }
  }
}

private struct Flags: OptionSet {
  var rawValue: UInt32 = 0

  static let isSystem = Self(rawValue: 1)
  static let isMacOS = Self(rawValue: 2)
  static let usesScenes = Self(rawValue: 4)
  static let prohibitsMultipleInstances = Self(rawValue: 8)
  static let exitsOnSuspend = Self(rawValue: 16)
  static let isDBusActivatable = Self(rawValue: 32)
  static let isFallbackHandler = Self(rawValue: 64)
  static let hasUsualLaunchImage = Self(rawValue: 128)
  static let isAccessory = Self(rawValue: 256)
  static let isBackgroundOnly = Self(rawValue: 512)
  static let hasDocuments = Self(rawValue: 1024)
  static let isDesktopEntry = Self(rawValue: 2048)
  static let dropsURLs = Self(rawValue: 4096)
  static let dropsDocuments = Self(rawValue: 8192)
  static let isTerminal = Self(rawValue: 16384)
  static let isStartedByBus = Self(rawValue: 32768)
  static let hasDesktopEntry = Self(rawValue: 65536)

  var activationPolicy: ActivationPolicy {
    contains(.isBackgroundOnly) ? .prohibited : contains(.isAccessory) ? .accessory : .regular
  }

  mutating func set(_ flag: Self, _ isSet: Bool) {
    if isSet { insert(flag) }
  }
}

extension Array where Element: Equatable {
  func place(of element: Element) -> UInt64 { UInt64(firstIndex(of: element) ?? 0) }
}

extension Array {
  subscript(safe place: UInt64) -> Element? {
    place < UInt64(count) ? self[Int(place)] : nil
  }
}
