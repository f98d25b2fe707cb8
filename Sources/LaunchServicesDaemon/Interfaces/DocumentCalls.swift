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

  /// Looks at the files. What is left to do is a step, in a turn of the caller.
  func answer(
    _ content: IncomingCall, for caller: LoadOwner
  ) async throws(BusError) -> Reply.Step {
    switch content {
    case .handlersOfDocument(let url):
      let subject = try await documents.document(url, for: caller).subject
      return { [self] in candidates(for: subject) }
    case .handlersOfType(let text):
      let subject = DocumentSubject(try kind(ofType: text))
      return { [self] in candidates(for: subject) }
    case .typeOfDocument(let url):
      let document = try await documents.document(url, for: caller)
      return { [self] in [.options(describe(document))] }
    case .setDefaultHandlerOfType(let text, let name):
      let type = try kind(ofType: text).type
      guard type != .data || TypeIdentifier(text) != nil else {
        throw .invalidArguments(
          "no application can be chosen for \(text), which says nothing about a file")
      }
      let wanted = name.isEmpty ? nil : try BundleIdentifier(argument: name, "bundle_id")
      return { [store] () throws(BusError) in
        try withBusErrors { () throws(RegistryRefusal) in try store.bind(type, to: wanted) }
        return []
      }
    case .setHandlerOfDocument(let url, let name):
      return try await setHandler(of: url, to: name, for: caller)
    default: preconditionFailure("\(content) is not about documents")
    }
  }

  private func setHandler(
    of url: String, to name: String, for caller: LoadOwner
  ) async throws(BusError) -> Reply.Step {
    guard !name.isEmpty else {
      // A choice for a removed file can still be deleted.
      let file = try documents.url(url).orBusError().key
      return { [store] () throws(BusError) in
        try withBusErrors { () throws(RegistryRefusal) in try store.unbind(file: file) }
        return []
      }
    }
    let document = try await documents.document(url, for: caller)
    let wanted = try BundleIdentifier(argument: name, "bundle_id")
    return { [store] () throws(BusError) in
      try withBusErrors { () throws(RegistryRefusal) in
        try store.bind(file: document.url.key, document.subject, to: wanted)
      }
      return []
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
