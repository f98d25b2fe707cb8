/// The facts about a document that are known without opening the file.
package struct DocumentFacts: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case file(isExecutable: Bool)
    case folder
    /// A FIFO, a socket or a device.
    case special
  }

  /// Last component of the path.
  package var name: String
  package var kind: Kind
  /// The MIME type from shared-mime-info; nil when not requested or unknown.
  package var mimeType: String?

  package init(name: String, kind: Kind, mimeType: String? = nil) {
    self.name = name
    self.kind = kind
    self.mimeType = mimeType
  }

  /// The possible extensions of the name, longest first: `tar.gz`, then `gz`. A dot at the beginning marks a
  /// hidden file and does not start an extension.
  package var extensions: [String] {
    let parts = name.lowercased().drop { $0 == "." }.split(
      separator: ".", omittingEmptySubsequences: false)
    return (1..<max(1, parts.count)).suffix(2).map { parts[$0...].joined(separator: ".") }
      .filter { !$0.isEmpty && !$0.hasPrefix(".") && !$0.hasSuffix(".") }
  }
}

/// The type of a document, and how it was determined.
package struct DocumentKind: Hashable, Sendable {
  package let type: TypeIdentifier
  /// The tags by which claims without content types match the document.
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
  /// Determines the type by extension, then by MIME type. A folder that is not a package has the type of
  /// folders.
  package func kind(of facts: DocumentFacts) -> DocumentKind {
    switch facts.kind {
    case .special: DocumentKind(.item, because: "it is neither a file nor a folder")
    case .folder: kind(ofFolder: facts)
    case .file(let isExecutable): kind(ofFile: facts, isExecutable: isExecutable)
    }
  }

  /// Whether neither the name nor a claim determines the type, so that shared-mime-info should be queried.
  package func needsMIMEType(_ facts: DocumentFacts) -> Bool {
    guard case .file = facts.kind, facts.mimeType == nil else { return false }
    return facts.extensions.allSatisfy { text in
      declaredType(of: .fileExtension(text), isFolder: false) == nil
        && !documentClaims.isClaimed(.tag(.fileExtension(text)))
    }
  }

  /// The kind of a hypothetical document of this type.
  package func kind(ofType type: TypeIdentifier) -> DocumentKind {
    let tags = types[type]?.tags ?? DynamicType.tag(of: type).map { [$0] } ?? []
    return DocumentKind(type, tags, because: "the type itself")
  }

  /// The kind of a hypothetical file of this MIME type, whose name says nothing.
  package func kind(ofMIMEType name: String) -> DocumentKind {
    name == "inode/directory"
      ? kind(of: DocumentFacts(name: "", kind: .folder))
      : kind(of: DocumentFacts(name: "", kind: .file(isExecutable: false), mimeType: name))
  }

  private func kind(ofFolder facts: DocumentFacts) -> DocumentKind {
    // By which the applications of the desktop claim every folder.
    let folder = TypeTag.mimeType("inode/directory")
    for text in facts.extensions {
      let tag = TypeTag.fileExtension(text)
      if let type = declaredType(of: tag, isFolder: true) {
        return DocumentKind(
          type, tags(of: type, tag) + [folder], because: reason(tag, type))
      }
      if documentClaims.isPackage(text),
        let type = DynamicType.identifier(of: tag, isPackage: true)
      {
        return DocumentKind(
          type, [tag, folder], because: "\(tag), of which an application makes packages")
      }
    }
    return DocumentKind(.folder, [folder], because: "it is a folder")
  }

  private func kind(ofFile facts: DocumentFacts, isExecutable: Bool) -> DocumentKind {
    let mime = facts.mimeType.flatMap { Self.saysNothing.contains($0) ? nil : $0 }
      .map(TypeTag.named(mimeType:))
    // Applications of the desktop claim also the types that say nothing.
    let claimed = facts.mimeType.map(TypeTag.named(mimeType:))
    let extensions = facts.extensions.map { TypeTag.fileExtension($0) }
    for tag in extensions + [mime].compactMap(\.self) {
      guard let type = declaredType(of: tag, isFolder: false) else { continue }
      return DocumentKind(type, tags(of: type, tag) + extensions, because: reason(tag, type))
    }
    let tags = extensions + [claimed].compactMap(\.self)
    if let tag = mime ?? extensions.last, let type = DynamicType.identifier(of: tag) {
      return DocumentKind(type, tags, because: "\(tag), for which no type is declared")
    }
    return isExecutable
      ? DocumentKind(.executable, tags, because: "it may be run, and its name has no extension")
      : DocumentKind(.data, tags, because: "its name has no extension")
  }

  /// MIME types that shared-mime-info uses for unknown and empty files.
  private static let saysNothing: Set = ["application/octet-stream", "application/x-zerosize"]

  private func reason(_ tag: TypeTag, _ type: TypeIdentifier) -> String {
    "\(tag), as \(types.owner(of: type).map(\.text) ?? "somebody") declares"
  }

  /// The tag of the document, and the MIME types of its type.
  private func tags(of type: TypeIdentifier, _ tag: TypeTag) -> [TypeTag] {
    [tag]
      + (types[type]?.tags ?? []).filter { other in
        if case .mimeType = other { other != tag } else { false }
      }
  }

  /// The declared type with the tag. Types of folders do not apply to files, and vice versa.
  private func declaredType(of tag: TypeTag, isFolder: Bool) -> TypeIdentifier? {
    types.types(of: tag).first { types.conforms($0, to: .directory) == isFolder }
  }
}
