internal import LaunchRules

/// Reads `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations` (R1.21–R1.24).
extension LenientDictionary {
  /// - Parameter mayReserve: whether identifiers that are reserved for Apple are allowed without a note.
  func typeDeclarations(
    _ key: String, mayReserve: Bool, _ context: ReadingContext
  ) -> [TypeDeclaration] {
    var declared: [TypeIdentifier: String] = [:]
    return list(key) { value in
      guard
        let declaration = value.dictionary()?.typeDeclaration(
          at: value.path, mayReserve: mayReserve, context)
      else { return nil }
      if let first = declared[declaration.identifier] {
        context.report(
          .warning, value.path, "declares \(declaration.identifier) again",
          "the first declaration, \(first), counts: remove this one")
        return nil
      }
      declared[declaration.identifier] = value.path
      return declaration
    }
  }

  private func typeDeclaration(
    at place: String, mayReserve: Bool, _ context: ReadingContext
  ) -> TypeDeclaration? {
    let key = "UTTypeIdentifier"
    guard contains(key) else {
      context.report(
        .warning, place, "has no \(key)",
        "it was ignored: give the type an identifier, such as com.example.drawing")
      return nil
    }
    guard let type = value(key)?.typeIdentifier("the type is not declared") else { return nil }
    if type.isReserved, !mayReserve {
      context.report(
        .note, path(of: key), "\(type.text.quoted) begins with a name that is reserved",
        "it was kept: if another application owns the type, import it instead (R1.24)")
    }
    let parents = list("UTTypeConformsTo", allowingOne: true) {
      $0.typeIdentifier("the type does not conform to it")
    }
    return TypeDeclaration(
      type, conformsTo: parents, tags: tags(context), description: text("UTTypeDescription"))
  }

  private func tags(_ context: ReadingContext) -> [TypeTag] {
    guard let tags = dictionary("UTTypeTagSpecification") else { return [] }
    func list(_ key: String, _ read: (LenientValue, String) -> TypeTag?) -> [TypeTag] {
      tags.list(key, allowingOne: true) { value in
        value.plainText().flatMap { read(value, $0) }
      }
    }
    let known = ["public.filename-extension", "public.mime-type", "com.apple.ostype"]
    for key in tags.keys where !known.contains(key) && key != "com.apple.nspboard-type" {
      context.report(
        .note, tags.path(of: key), "is not a class of tags that files have",
        "it was ignored: the classes are \(listed(known)) (R1.23)")
    }
    return list(known[0]) { $0.fileExtension($1) } + list(known[1]) { $0.mimeType($1) }
      + list(known[2]) { $0.osType($1) }
  }
}
