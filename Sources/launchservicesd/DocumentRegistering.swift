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
      "document-types": documents.types.filter(\.opens).flatMap(\.claims).map(\.description),
      "exported-types": documents.exported.map(\.identifier.text),
      "imported-types": documents.imported.map(\.identifier.text),
    ]
    for (key, list) in lists where !list.isEmpty { entry[key] = .strings(list) }
    return entry
  }
}
