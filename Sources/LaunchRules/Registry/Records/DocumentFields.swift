// The document declarations in the record of an application. Absent for applications without them.

extension RecordWriter {
  mutating func write(_ documents: DocumentDeclarations) {
    write(UInt64(documents.opensInPlace ? 1 : 0))
    write(UInt64(documents.types.count))
    for type in documents.types {
      write(type.name)
      write(URLTypeDeclaration.Role.allCases.place(of: type.role))
      write(URLTypeDeclaration.Rank.allCases.place(of: type.rank))
      write(type.contentTypes.map(\.text))
      write(type.tags)
      write(UInt64(type.isPackage ? 1 : 0))
      write(desktopOrder: type.desktopOrder)
    }
    for declarations in [documents.exported, documents.imported] {
      write(UInt64(declarations.count))
      for declaration in declarations {
        write(declaration.identifier.text)
        write(declaration.conformsTo.map(\.text))
        write(declaration.tags)
        write(declaration.description)
      }
    }
  }

  private mutating func write(_ tags: [TypeTag]) {
    write(UInt64(tags.count))
    for tag in tags {
      let kind: UInt64 =
        switch tag {
        case .fileExtension: 0
        case .mimeType: 1
        case .osType: 2
        }
      write(kind)
      write(tag.text)
    }
  }
}

extension RecordReader {
  mutating func documents() -> DocumentDeclarations {
    let opensInPlace = number() != 0
    let types = (0..<count()).map { _ in
      DocumentTypeDeclaration(
        name: text(), role: URLTypeDeclaration.Role.allCases[safe: number()] ?? .viewer,
        rank: URLTypeDeclaration.Rank.allCases[safe: number()] ?? .default,
        contentTypes: texts().map(TypeIdentifier.init(known:)), tags: tags(),
        isPackage: number() != 0, desktopOrder: desktopOrder())
    }
    return DocumentDeclarations(
      types: types, exported: typeDeclarations(), imported: typeDeclarations(),
      opensInPlace: opensInPlace)
  }

  private mutating func typeDeclarations() -> [TypeDeclaration] {
    (0..<count()).map { _ in
      TypeDeclaration(
        TypeIdentifier(known: text() ?? ""),
        conformsTo: texts().map(TypeIdentifier.init(known:)), tags: tags(), description: text())
    }
  }

  private mutating func tags() -> [TypeTag] {
    (0..<count()).map { _ in
      let kind = number()
      let text = text() ?? ""
      return switch kind {
      case 0: .fileExtension(text)
      case 1: .mimeType(text)
      default: .osType(text)
      }
    }
  }
}
