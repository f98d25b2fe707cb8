extension URLScheme {
  /// The scheme of document URLs.
  package static let file = URLScheme(known: "file")
}

extension ApplicationDeclaration {
  /// Whether the application receives each document as a separate URL instead of several in one list (R5.27).
  package var claimsFileScheme: Bool { urlTypes.contains { $0.schemes.contains(.file) } }

  /// Whether the application may use a document in place. macOS applications always do; iOS applications must
  /// declare it (R1.37, R5.24).
  package var usesDocumentsInPlace: Bool { platform == .macOS || documents.opensInPlace }
}

extension Registry {
  /// The application that opens a document: the designated one, even without a claim (R5.28), then
  /// applications with a claim on the type, then those with a claim on the scheme `file`, then fallback
  /// handlers.
  package func choose(
    _ subject: DocumentSubject, designated: BundleIdentifier? = nil
  ) throws(OpenFailure) -> InstalledApplication {
    if let designated { return try installed(designated) }
    let type = subject.kind.type
    let routing = route(subject)
    switch routing {
    case .handler(let candidate) where !candidate.isFallback:
      return try installed(candidate.identifier)
    case .ambiguous(let identifiers):
      let names = identifiers.map(\.text).joined(separator: ", ")
      throw .ambiguousHandler(
        "files of type \(type) are claimed by \(names), and the setting CollisionPolicy requires"
          + " a choice; choose one"
          + " with: lsregister default \(type) ID")
    case .handler, .notFound: break
    }
    if case .handler(let candidate) = route(.file) {
      return try installed(candidate.identifier)
    }
    if case .handler(let candidate) = routing { return try installed(candidate.identifier) }
    throw .applicationNotFound(
      "no application opens files of type \(type) (\(subject.kind.reason))")
  }
}
