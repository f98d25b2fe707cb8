extension URLScheme {
  /// Of documents.
  package static let file = URLScheme(known: "file")
}

extension ApplicationDeclaration {
  /// It gets each document as a URL of its own, and not several as one list (R5.27).
  package var claimsFileScheme: Bool { urlTypes.contains { $0.schemes.contains(.file) } }

  /// Whether a document may be used where it is. Applications of macOS always do; one of iOS says so
  /// (R1.37, R5.24).
  package var usesDocumentsInPlace: Bool { platform == .macOS || documents.opensInPlace }
}

extension Registry {
  /// The application that a document goes to: the designated one, whether it claims it or not (R5.28), else one
  /// that claims it, else one that claims the scheme `file`; fallback handlers come last.
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
        "files of type \(type) are claimed by \(names), and the settings forbid a guess; choose one"
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
