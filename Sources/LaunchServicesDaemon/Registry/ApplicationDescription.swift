internal import BusContract
internal import DBus
internal import LaunchRules

/// The description of an application for callers.
struct ApplicationDescription {
  let application: InstalledApplication
  var state = "not running"
  var pid: Int32 = 0
  /// The quick actions that menus show.
  var quickActions: [QuickAction] = []
  var diagnostics: [Diagnostic] = []
  /// The types for which the user chose the application.
  var chosenTypes: [String] = []

  var entry: Options {
    let declaration = application.declaration
    var entry: Options = [
      "bundle-identifier": .string(application.identifier.text),
      "name": .string(declaration.visibleName),
      "version": .string(declaration.version.description),
      "path": .string(application.propertyList),
      Key.bundle: .string(application.bundle),
      "system": .boolean(application.isSystem),
      "platform": .string(declaration.platform.rawValue),
      "linked-sdk": .string(declaration.linkedSDK.description),
      "schemes": .strings(declaration.urlTypes.flatMap(\.schemes).map(\.text)),
      Key.urlTypes: .optionsList(declaration.urlTypes.map(Self.entry)),
      Key.activationPolicy: .string(declaration.activationPolicy.rawValue),
      "queries-schemes": .strings(declaration.queriesSchemes),
      "scene": .boolean(declaration.usesScenes),
      Key.origin: .string(application.origin.rawValue),
      "state": .string(state),
      "pid": .uint32(UInt32(pid)),
      "shortcut-items": .array(
        of: "(ss)", quickActions.map { .structure([.string($0.type), .string($0.title)]) }),
      "diagnostics": .strings(diagnostics.map(\.description)),
    ]
    if let name = declaration.displayName { entry["display-name"] = .string(name) }
    let urlNames = declaration.urlTypes.compactMap(\.name)
    if !urlNames.isEmpty { entry["url-names"] = .strings(urlNames) }
    if let icon = declaration.iconFile { entry[Key.icon] = .string(icon) }
    if declaration.isDesktopBridge { entry[Key.desktopBridge] = .boolean(true) }
    if let handOver = declaration.handOver { entry[Key.handOver] = .strings(handOver.words) }
    if let team = declaration.team { entry["team"] = .string(team) }
    if !declaration.entitlements.isEmpty {
      entry["entitlements"] = .strings(declaration.entitlements.map(\.rawValue).sorted())
    }
    entry.merge(Self.entry(of: declaration.documents)) { $1 }
    if !chosenTypes.isEmpty { entry["chosen-for-types"] = .strings(chosenTypes) }
    if !declaration.associatedDomains.isEmpty {
      entry["associated-domains"] = .strings(declaration.associatedDomains.map(\.text))
    }
    if !declaration.userActivityTypes.isEmpty {
      entry[Key.userActivityTypes] = .strings(declaration.userActivityTypes)
    }
    if !declaration.webHosts.isEmpty {
      entry["web-hosts"] = .strings(declaration.webHosts.map(\.text))
    }
    if let executable = Self.executable(of: declaration.program) {
      entry["executable"] = .string(executable)
    }
    return entry
  }

  private static func entry(of type: URLTypeDeclaration) -> Options {
    var entry: Options = [
      "role": .string(type.role.rawValue), "rank": .string(type.rank.rawValue),
      "schemes": .strings(type.schemes.map(\.text)),
    ]
    if let name = type.name { entry["name"] = .string(name) }
    if let icon = type.iconFile { entry[Key.icon] = .string(icon) }
    return entry
  }

  private static func executable(of program: Program) -> String? {
    switch program {
    case .executable(let candidates): candidates.first
    case .arguments(let arguments): arguments.joined(separator: " ")
    case .missing: nil
    }
  }
}

// MARK: - Documents

extension ApplicationDescription {
  private static func entry(of documents: DocumentDeclarations) -> Options {
    var entry: Options = [:]
    let lists = [
      "document-types": documents.types.map(Self.entry),
      "exported-types": documents.exported.map(Self.entry),
      "imported-types": documents.imported.map(Self.entry),
    ]
    for (key, list) in lists where !list.isEmpty { entry[key] = .optionsList(list) }
    return entry
  }

  private static func entry(of type: DocumentTypeDeclaration) -> Options {
    var entry = Self.entry(of: type.tags)
    entry["role"] = .string(type.role.rawValue)
    entry["rank"] = .string(type.rank.rawValue)
    if let name = type.name { entry["name"] = .string(name) }
    if !type.contentTypes.isEmpty {
      entry["content-types"] = .strings(type.contentTypes.map(\.text))
    }
    if type.isPackage { entry["package"] = .boolean(true) }
    return entry
  }

  private static func entry(of type: TypeDeclaration) -> Options {
    var entry = Self.entry(of: type.tags)
    entry[Key.type] = .string(type.identifier.text)
    if let text = type.description { entry[Key.description] = .string(text) }
    if !type.conformsTo.isEmpty {
      entry[Key.conformsTo] = .strings(type.conformsTo.map(\.text))
    }
    return entry
  }

  private static func entry(of tags: [TypeTag]) -> Options {
    var lists: [String: [String]] = [:]
    for tag in tags {
      switch tag {
      case .fileExtension(let text): lists["extensions", default: []].append(text)
      case .mimeType(let text): lists["mime-types", default: []].append(text)
      case .osType(let text): lists["os-types", default: []].append(text)
      }
    }
    return lists.mapValues(Value.strings)
  }
}
