/// What the daemon sees of a document without opening it.
package struct DocumentFacts: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case file(isExecutable: Bool)
    case folder
    /// A FIFO, a socket or a device.
    case special
  }

  /// The last part of its path.
  package var name: String
  package var kind: Kind
  /// What shared-mime-info says; nil when it was not asked or does not know.
  package var mimeType: String?

  package init(name: String, kind: Kind, mimeType: String? = nil) {
    self.name = name
    self.kind = kind
    self.mimeType = mimeType
  }

  /// The extensions that its name may have, longest first: `tar.gz`, then `gz`. A dot at the beginning hides a
  /// file and begins no extension.
  package var extensions: [String] {
    let parts = name.lowercased().drop { $0 == "." }.split(
      separator: ".", omittingEmptySubsequences: false)
    return (1..<max(1, parts.count)).suffix(2).map { parts[$0...].joined(separator: ".") }
      .filter { !$0.isEmpty && !$0.hasPrefix(".") && !$0.hasSuffix(".") }
  }
}

/// The type of a document, and how that was found out.
package struct DocumentKind: Hashable, Sendable {
  package let type: TypeIdentifier
  /// By what claims without content types know it.
  package let tags: [TypeTag]
  /// A phrase, such as `the extension txt`.
  package let reason: String

  init(_ type: TypeIdentifier, _ tags: [TypeTag] = [], because reason: String) {
    self.type = type
    self.tags = tags
    self.reason = reason
  }
}

extension Registry {
  /// The type by its extension, then by its MIME type; a folder that is no package is just a folder.
  package func kind(of facts: DocumentFacts) -> DocumentKind {
    switch facts.kind {
    case .special: DocumentKind(.item, because: "it is neither a file nor a folder")
    case .folder: kind(ofFolder: facts)
    case .file(let isExecutable): kind(ofFile: facts, isExecutable: isExecutable)
    }
  }

  /// Neither the name nor a claim says what it is: asking shared-mime-info is worth its time.
  package func needsMIMEType(_ facts: DocumentFacts) -> Bool {
    guard case .file = facts.kind, facts.mimeType == nil else { return false }
    return facts.extensions.allSatisfy { text in
      declaredType(of: .fileExtension(text), isFolder: false) == nil
        && !documentClaims.isClaimed(.tag(.fileExtension(text)))
    }
  }

  /// The type itself, as if a document of it were there.
  package func kind(ofType type: TypeIdentifier) -> DocumentKind {
    let tags = types[type]?.tags ?? DynamicType.tag(of: type).map { [$0] } ?? []
    return DocumentKind(type, tags, because: "the type itself")
  }

  private func kind(ofFolder facts: DocumentFacts) -> DocumentKind {
    for text in facts.extensions {
      let tag = TypeTag.fileExtension(text)
      if let type = declaredType(of: tag, isFolder: true) {
        return DocumentKind(type, tags(of: type, tag), because: reason(tag, type))
      }
      if documentClaims.isPackage(text),
        let type = DynamicType.identifier(of: tag, isPackage: true)
      {
        return DocumentKind(type, [tag], because: "\(tag), of which an application makes packages")
      }
    }
    return DocumentKind(.folder, because: "it is a folder")
  }

  private func kind(ofFile facts: DocumentFacts, isExecutable: Bool) -> DocumentKind {
    let mime = facts.mimeType.flatMap { Self.saysNothing.contains($0) ? nil : $0 }
      .map(TypeTag.named(mimeType:))
    let extensions = facts.extensions.map { TypeTag.fileExtension($0) }
    for tag in extensions + [mime].compactMap(\.self) {
      guard let type = declaredType(of: tag, isFolder: false) else { continue }
      return DocumentKind(type, tags(of: type, tag) + extensions, because: reason(tag, type))
    }
    let tags = extensions + [mime].compactMap(\.self)
    if let tag = mime ?? extensions.last, let type = DynamicType.identifier(of: tag) {
      return DocumentKind(type, tags, because: "\(tag), for which no type is declared")
    }
    return isExecutable
      ? DocumentKind(.executable, because: "it may be run, and its name has no extension")
      : DocumentKind(.data, because: "its name has no extension")
  }

  /// What shared-mime-info calls files that it does not know, and empty ones.
  private static let saysNothing: Set = ["application/octet-stream", "application/x-zerosize"]

  private func reason(_ tag: TypeTag, _ type: TypeIdentifier) -> String {
    "\(tag), as \(types.owner(of: type).map(\.text) ?? "somebody") declares"
  }

  /// What the document is known by itself, and the MIME types of its type.
  private func tags(of type: TypeIdentifier, _ tag: TypeTag) -> [TypeTag] {
    [tag]
      + (types[type]?.tags ?? []).filter { other in
        if case .mimeType = other { other != tag } else { false }
      }
  }

  /// A type of folders is not that of a file, nor the other way around.
  private func declaredType(of tag: TypeTag, isFolder: Bool) -> TypeIdentifier? {
    types.types(of: tag).first { types.conforms($0, to: .directory) == isFolder }
  }
}
