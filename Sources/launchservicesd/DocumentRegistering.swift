internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

// The user's choices about documents, as they are stored, and what is listed of an application.

extension RegistryKeeper {
  /// Choices for single files that are remembered.
  private static let mostFiles = 10_000

  /// Puts what was stored into the registry.
  func bindDocuments(in registry: inout Registry) {
    for (type, name) in state.typeBindings ?? [:] {
      if let type = TypeIdentifier(type) { registry.bind(type, to: BundleIdentifier(name)) }
    }
    for (file, name) in state.fileBindings ?? [:] {
      registry.bind(file: file, to: BundleIdentifier(name))
    }
  }

  func bind(_ type: TypeIdentifier, to identifier: BundleIdentifier?) throws(Refusal) {
    var state = state
    state.typeBindings = state.typeBindings ?? [:]
    state.typeBindings?[type.key] = identifier?.text
    try store(state)
  }

  func bind(file: String, to identifier: BundleIdentifier?) throws(Refusal) {
    var state = state
    var files = state.fileBindings ?? [:]
    files[file] = identifier?.text
    guard files.count <= Self.mostFiles else {
      throw .limitExceeded(
        "\(Self.mostFiles) files have applications of their own already, which is the limit")
    }
    state.fileBindings = files
    try store(state)
  }
}

extension Daemon {
  func describe(_ documents: DocumentDeclarations) -> Options {
    var entry: Options = [:]
    let lists = [
      "document-types": documents.types.map(describe),
      "exported-types": documents.exported.map(describe),
      "imported-types": documents.imported.map(describe),
    ]
    for (key, list) in lists where !list.isEmpty { entry[key] = .optionsList(list) }
    return entry
  }

  /// The types that the user chose the application for.
  func chosenTypes(of application: BundleIdentifier) -> [String] {
    registry.documentChoices.types.filter { $0.value == application }
      .map(\.key.text).sorted()
  }

  private func describe(_ type: DocumentTypeDeclaration) -> Options {
    var entry = describe(type.tags)
    entry["role"] = .string(type.role.rawValue)
    entry["rank"] = .string(type.rank.rawValue)
    if let name = type.name { entry["name"] = .string(name) }
    if !type.contentTypes.isEmpty {
      entry["content-types"] = .strings(type.contentTypes.map(\.text))
    }
    if type.isPackage { entry["package"] = .boolean(true) }
    return entry
  }

  private func describe(_ type: TypeDeclaration) -> Options {
    var entry = describe(type.tags)
    entry[Key.type] = .string(type.identifier.text)
    if let text = type.description { entry[Key.description] = .string(text) }
    if !type.conformsTo.isEmpty {
      entry[Key.conformsTo] = .strings(type.conformsTo.map(\.text))
    }
    return entry
  }

  private func describe(_ tags: [TypeTag]) -> Options {
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
