/// The declarations of a property list about documents.
package struct DocumentDeclarations: Hashable, Sendable {
  /// `CFBundleDocumentTypes`: the document types that the application opens.
  package var types: [DocumentTypeDeclaration]
  /// `UTExportedTypeDeclarations`: the types that the application owns (R1.21).
  package var exported: [TypeDeclaration]
  /// `UTImportedTypeDeclarations`: the types of other owners that the application uses.
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

/// The valid contents of one entry of `CFBundleDocumentTypes` (R1.16).
package struct DocumentTypeDeclaration: Hashable, Sendable {
  /// `CFBundleTypeName`.
  package var name: String?
  package var role: URLTypeDeclaration.Role
  package var rank: URLTypeDeclaration.Rank
  /// `LSItemContentTypes`.
  package var contentTypes: [TypeIdentifier]
  /// Extensions, MIME types and OS types, which apply only without content types (R1.17). Wildcards are
  /// dropped: they are for drag and drop (R1.19), which is not supported.
  package var tags: [TypeTag]
  /// `LSTypeIsPackage`: folders with one of the extensions are documents.
  package var isPackage: Bool
  /// For a claim of a desktop entry: the place of the application among the desktop applications for these MIME types, 0 for
  /// the desktop's default. Nil for a claim of a property list.
  package var desktopOrder: Int?

  package init(
    name: String? = nil, role: URLTypeDeclaration.Role = .viewer,
    rank: URLTypeDeclaration.Rank = .default, contentTypes: [TypeIdentifier] = [],
    tags: [TypeTag] = [], isPackage: Bool = false, desktopOrder: Int? = nil
  ) {
    self.name = name
    self.role = role
    self.rank = rank
    self.contentTypes = contentTypes
    self.tags = tags
    self.isPackage = isPackage
    self.desktopOrder = desktopOrder
  }

  /// Whether the application can open documents of this type. The roles None and QLGenerator only describe a
  /// type (R1.16), and the rank None is never chosen (R1.18).
  package var opens: Bool {
    switch role {
    case .editor, .viewer, .shell: rank != .none
    case .quickLookGenerator, .none: false
    }
  }
}

/// One type declaration (R1.21).
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
