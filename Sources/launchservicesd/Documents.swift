internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import RegistryLoading

// Documents: what they are, and who opens them.

/// A document that somebody asks about.
struct NamedDocument {
  let url: DocumentURL
  let subject: DocumentSubject
}

extension Daemon {
  /// What is at each URL. Nothing here waits for a file system.
  /// - Parameter asksForMIMETypes: False when nobody needs to know the types.
  func look(
    at texts: [String], for caller: String, asksForMIMETypes: Bool = true
  ) async -> [Result<NamedDocument, OpenFailure>] {
    let urls = texts.map(documentURL)
    let reachable = urls.compactMap { try? $0.get() }
    var facts: [DocumentURL: Result<DocumentFacts, OpenFailure>] = [:]
    let glances = await files.glances(at: reachable.map(\.path), for: caller)
    for (url, glance) in zip(reachable, glances) {
      facts[url] = glance.kind(of: url).map { DocumentFacts(name: url.name, kind: $0) }
    }
    if asksForMIMETypes {
      let unknown = reachable.filter { url in
        (try? facts[url]?.get()).map(registry.needsMIMEType) ?? false
      }
      for (url, type) in zip(unknown, await mimeTypes.ask(unknown.map(\.key))) {
        facts[url] = facts[url]?.map {
          DocumentFacts(name: $0.name, kind: $0.kind, mimeType: type)
        }
      }
    }
    return urls.map { url in
      url.flatMap { url in
        facts[url, default: .failure(.invalidURL(url.text))].map {
          NamedDocument(
            url: url, subject: DocumentSubject(registry.kind(of: $0), file: url.key))
        }
      }
    }
  }

  private func documentURL(_ text: String) -> Result<DocumentURL, OpenFailure> {
    do throws(OpenFailure) {
      _ = try RequestedURL(text, longest: settings.opens.maximumURLLength)
      return .success(try DocumentURL(text))
    } catch {
      return .failure(error)
    }
  }

  // MARK: Registry1

  /// Answers a question about documents, which may wait for files.
  func documentAnswer(_ request: IncomingCall, _ call: PendingCall) {
    server.answerLater(call) { [self] in
      do throws(BusError) {
        return .success(try await documentAnswer(request, call.sender))
      } catch {
        return .failure(error)
      }
    }
  }

  private func documentAnswer(
    _ request: IncomingCall, _ sender: String
  ) async throws(BusError) -> [Value] {
    switch request {
    case .handlersOfDocument(let url):
      return candidates(for: try await document(url, sender).subject)
    case .handlersOfType(let text):
      return candidates(for: DocumentSubject(registry.kind(ofType: try type(text))))
    case .typeOfDocument(let url): return [.options(describe(try await document(url, sender)))]
    case .setDefaultHandlerOfType(let text, let name):
      let type = try type(text)
      let wanted = name.isEmpty ? nil : try identifier(name, "bundle_id")
      try withBusErrors { () throws(RegistryRefusal) in try store.bind(type, to: wanted) }
    case .setHandlerOfDocument(let url, let name):
      if name.isEmpty {
        // A choice for a file that has gone can be taken back.
        let file = try documentURL(url).orBusError().key
        try withBusErrors { () throws(RegistryRefusal) in try store.unbind(file: file) }
      } else {
        let document = try await document(url, sender)
        let wanted = try identifier(name, "bundle_id")
        try withBusErrors { () throws(RegistryRefusal) in
          try store.bind(file: document.url.key, document.subject, to: wanted)
        }
      }
    default: preconditionFailure("\(request) is not about documents")
    }
    return []
  }

  private func document(
    _ url: String, _ sender: String
  ) async throws(BusError) -> NamedDocument {
    guard let found = await look(at: [url], for: sender).first else {
      preconditionFailure("there is an answer for each URL")
    }
    return try found.orBusError()
  }

  private func type(_ text: String) throws(BusError) -> TypeIdentifier {
    guard let type = TypeIdentifier(text) else {
      throw .invalidArguments(
        "'\(text)' is not a type: two parts or more of letters, digits and -, such as"
          + " public.plain-text")
    }
    return type
  }

  private func candidates(for subject: DocumentSubject) -> [Value] {
    let candidates = documentCandidates(subject)
    return [.strings(candidates.map(\.identifier.text)), .strings(candidates.map(\.why))]
  }

  /// With those that only claim the scheme `file`, before the fallback handlers.
  func documentCandidates(
    _ subject: DocumentSubject
  ) -> [(identifier: BundleIdentifier, why: String)] {
    let claims = registry.documentCandidates(subject)
    let known = Set(claims.map(\.identifier))
    let byScheme = registry.candidates(for: .file).filter {
      !known.contains($0.identifier)
    }
    return claims.filter { !$0.isFallback }.map { ($0.identifier, $0.why) }
      + byScheme.map { ($0.identifier, "it claims the scheme file") }
      + claims.filter(\.isFallback).map { ($0.identifier, $0.why) }
  }

  private func describe(_ document: NamedDocument) -> Options {
    let kind = document.subject.kind
    let types = registry.types
    var entry: Options = [
      Key.type: .string(kind.type.text), Key.why: .string(kind.reason),
      Key.conformsTo: .strings(types.levels(of: kind.type).dropFirst().joined().map(\.text)),
    ]
    if let text = types[kind.type]?.description { entry[Key.description] = .string(text) }
    return entry
  }
}

nonisolated extension Result where Failure == OpenFailure {
  func orBusError() throws(BusError) -> Success {
    do throws(OpenFailure) {
      return try get()
    } catch {
      throw error.busError
    }
  }
}

nonisolated extension FileGlance {
  fileprivate func kind(of url: DocumentURL) -> Result<DocumentFacts.Kind, OpenFailure> {
    switch self {
    case .file(let isExecutable): .success(.file(isExecutable: isExecutable))
    case .folder: .success(.folder)
    case .special: .success(.special)
    case .unreachable(.errno(.noSuchFile)), .unreachable(.errno(.notAFolder)):
      .failure(.noSuchFile("The file \(url.visiblePath) does not exist."))
    case .unreachable(let why):
      .failure(.documentUnreachable("The file \(url.visiblePath) cannot be reached: \(why)"))
    }
  }
}
