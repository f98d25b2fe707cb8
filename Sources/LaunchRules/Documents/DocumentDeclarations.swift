/// What a property list says about documents.
package struct DocumentDeclarations: Hashable, Sendable {
  /// `CFBundleDocumentTypes`: what the application opens.
  package var types: [DocumentTypeDeclaration]
  /// `UTExportedTypeDeclarations`: types that are its own (R1.21).
  package var exported: [TypeDeclaration]
  /// `UTImportedTypeDeclarations`: types of others that it uses.
  package var imported: [TypeDeclaration]
  /// `LSSupportsOpeningDocumentsInPlace` (R1.37).
  package var opensInPlace: Bool

  package init(
    types: [DocumentTypeDeclaration] = [], exported: [TypeDeclaration] = [],
    imported: [TypeDeclaration] = [], opensInPlace: Bool = false
  ) {
    self.types = types
    self.exported = exported
    self.imported = imported
    self.opensInPlace = opensInPlace
  }

  package static let none = DocumentDeclarations()
}

/// One entry of `CFBundleDocumentTypes` (R1.16), reduced to what is valid in it.
package struct DocumentTypeDeclaration: Hashable, Sendable {
  /// `CFBundleTypeName`.
  package var name: String?
  package var role: URLTypeDeclaration.Role
  package var rank: URLTypeDeclaration.Rank
  /// `LSItemContentTypes`.
  package var contentTypes: [TypeIdentifier]
  /// Extensions, MIME types and OS types, which count without content types only (R1.17). Wildcards are not
  /// among them: they are for drag and drop (R1.19), which there is none of here.
  package var tags: [TypeTag]
  /// `LSTypeIsPackage`: folders with one of the extensions are documents.
  package var isPackage: Bool

  package init(
    name: String? = nil, role: URLTypeDeclaration.Role = .viewer,
    rank: URLTypeDeclaration.Rank = .default, contentTypes: [TypeIdentifier] = [],
    tags: [TypeTag] = [], isPackage: Bool = false
  ) {
    self.name = name
    self.role = role
    self.rank = rank
    self.contentTypes = contentTypes
    self.tags = tags
    self.isPackage = isPackage
  }

  /// It makes the application open documents. The role None and QLGenerator only tell about a type
  /// (R1.16), and the rank None is never chosen (R1.18).
  package var opens: Bool {
    switch role {
    case .editor, .viewer, .shell: rank != .none
    case .quickLookGenerator, .none: false
    }
  }
}

/// One type, as somebody declares it (R1.21).
package struct TypeDeclaration: Hashable, Sendable {
  package var identifier: TypeIdentifier
  package var conformsTo: [TypeIdentifier]
  package var tags: [TypeTag]
  /// `UTTypeDescription`.
  package var description: String?

  package init(
    _ identifier: TypeIdentifier, conformsTo: [TypeIdentifier] = [], tags: [TypeTag] = [],
    description: String? = nil
  ) {
    self.identifier = identifier
    self.conformsTo = conformsTo
    self.tags = tags
    self.description = description
  }
}
