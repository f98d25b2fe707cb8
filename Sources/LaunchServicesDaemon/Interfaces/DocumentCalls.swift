internal import BusContract
internal import DBus
internal import LaunchRules
internal import RegistryLoading

/// The calls of `Registry1` about documents and their types. Replies may wait for file systems.
final class DocumentCalls {
  private let store: RegistryStore
  private let documents: DocumentResolver

  init(_ store: RegistryStore, _ documents: DocumentResolver) {
    self.store = store
    self.documents = documents
  }

  func answer(
    _ content: IncomingCall, for caller: LoadOwner
  ) async throws(BusError) -> [Value] {
    switch content {
    case .handlersOfDocument(let url):
      return candidates(for: try await documents.document(url, for: caller).subject)
    case .handlersOfType(let text):
      return candidates(for: DocumentSubject(try kind(ofType: text)))
    case .typeOfDocument(let url):
      return [.options(describe(try await documents.document(url, for: caller)))]
    case .setDefaultHandlerOfType(let text, let name):
      let type = try kind(ofType: text).type
      guard type != .data || TypeIdentifier(text) != nil else {
        throw .invalidArguments(
          "no application can be chosen for \(text), which says nothing about a file")
      }
      let wanted = name.isEmpty ? nil : try BundleIdentifier(argument: name, "bundle_id")
      try withBusErrors { () throws(RegistryRefusal) in try store.bind(type, to: wanted) }
    case .setHandlerOfDocument(let url, let name):
      try await setHandler(of: url, to: name, for: caller)
    default: preconditionFailure("\(content) is not about documents")
    }
    return []
  }

  private func setHandler(
    of url: String, to name: String, for caller: LoadOwner
  ) async throws(BusError) {
    guard !name.isEmpty else {
      // A choice for a removed file can still be deleted.
      let file = try documents.url(url).orBusError().key
      return try withBusErrors { () throws(RegistryRefusal) in try store.unbind(file: file) }
    }
    let document = try await documents.document(url, for: caller)
    let wanted = try BundleIdentifier(argument: name, "bundle_id")
    try withBusErrors { () throws(RegistryRefusal) in
      try store.bind(file: document.url.key, document.subject, to: wanted)
    }
  }

  /// - Parameter text: the identifier of a type, or a MIME type.
  private func kind(ofType text: String) throws(BusError) -> DocumentKind {
    if let name = MIMETypeName.name(text) { return store.registry.kind(ofMIMEType: name) }
    return store.registry.kind(ofType: try type(text))
  }

  private func type(_ text: String) throws(BusError) -> TypeIdentifier {
    guard let type = TypeIdentifier(text) else {
      throw .invalidArguments(
        "'\(text)' is not a type: two parts or more of letters, digits and -, such as"
          + " public.plain-text; or a MIME type, such as text/html")
    }
    return type
  }

  private func candidates(for subject: DocumentSubject) -> [Value] {
    let candidates = documents.candidates(for: subject)
    return [.strings(candidates.map(\.identifier.text)), .strings(candidates.map(\.why))]
  }

  private func describe(_ document: ResolvedDocument) -> Options {
    let kind = document.subject.kind
    let types = store.registry.types
    var entry: Options = [
      Key.type: .string(kind.type.text), Key.why: .string(kind.reason),
      Key.conformsTo: .strings(types.levels(of: kind.type).dropFirst().joined().map(\.text)),
    ]
    if let text = types[kind.type]?.description { entry[Key.description] = .string(text) }
    return entry
  }
}
