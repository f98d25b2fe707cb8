internal import LaunchRules

/// Reads `CFBundleDocumentTypes` (R1.16–R1.20) and the other declarations about documents.
extension LenientDictionary {
  /// - Parameter identifier: of the application.
  func documents(
    _ context: ReadingContext, _ identifier: BundleIdentifier?
  ) -> DocumentDeclarations {
    let isApples = identifier?.text.lowercased().hasPrefix("com.apple.") ?? false
    let mayReserve = isApples || context.isSystem
    let exported = typeDeclarations("UTExportedTypeDeclarations", mayReserve: mayReserve, context)
    let imported = typeDeclarations("UTImportedTypeDeclarations", mayReserve: true, context)
    return DocumentDeclarations(
      types: list("CFBundleDocumentTypes") { value in
        value.dictionary()?.documentType(at: value.path, context)
      },
      exported: exported, imported: imported,
      opensInPlace: truth("LSSupportsOpeningDocumentsInPlace"))
  }

  private func documentType(
    at place: String, _ context: ReadingContext
  ) -> DocumentTypeDeclaration? {
    let (name, role, rank) = (text("CFBundleTypeName"), role(context), rank(context))
    let isPackage = truth("LSTypeIsPackage")
    let keys = [
      "LSItemContentTypes", "CFBundleTypeExtensions", "CFBundleTypeMIMETypes",
      "CFBundleTypeOSTypes",
    ]
    guard keys.contains(where: contains) else {
      context.report(
        .warning, place, "has neither \(keys[0]) nor one of the older keys",
        "it opens nothing and was ignored: add \(keys[0]), with an array of types (R1.17)")
      return nil
    }
    guard !contains(keys[0]) else {
      if isPackage {
        context.report(
          .note, path(of: "LSTypeIsPackage"), "does not go with \(keys[0])",
          "it was ignored: let the type conform to com.apple.package (R1.16)")
      }
      let types = list(keys[0]) { value in
        value.typeIdentifier("the type is not opened")
      }
      return types.isEmpty
        ? nil : DocumentTypeDeclaration(name: name, role: role, rank: rank, contentTypes: types)
    }
    let tags =
      list(keys[1]) { $0.documentTag(wildcard: "*", $0.fileExtension) }
      + list(keys[2]) { $0.documentTag(wildcard: "*", $0.mimeType) }
      + list(keys[3]) { $0.documentTag(wildcard: "****", $0.osType) }
    guard !tags.isEmpty else { return nil }
    return DocumentTypeDeclaration(
      name: name, role: role, rank: rank, tags: tags, isPackage: isPackage)
  }
}

extension LenientValue {
  /// Nil also for a wildcard.
  fileprivate func documentTag(wildcard: String, _ read: (String) -> TypeTag?) -> TypeTag? {
    guard let text = plainText() else { return nil }
    guard text != wildcard else {
      context.report(
        .note, path, "contains the wildcard \"\(wildcard)\"",
        "it was ignored: it counts for drag and drop only, and opens nothing (R1.19)")
      return nil
    }
    return read(text)
  }

  /// The text; nil, with a warning, when one of its variables has no value.
  func plainText() -> String? {
    guard let expansion = text() else { return nil }
    guard expansion.unresolved.isEmpty else {
      context.report(
        .warning, path, "\(expansion.text.quoted) contains \(expansion.unresolvedPhrase)",
        "it was ignored: \(expansion.remedy)")
      return nil
    }
    return expansion.text
  }

  func typeIdentifier(_ consequence: String) -> TypeIdentifier? {
    guard let text = plainText() else { return nil }
    if let type = TypeIdentifier(text) { return type }
    context.report(
      .warning, path, "\(text.quoted) is not a type identifier",
      "\(consequence): write two parts or more of letters, digits and \"-\", such as"
        + " com.example.drawing (R1.24)")
    return nil
  }

  func fileExtension(_ text: String) -> TypeTag? {
    let name = text.hasPrefix(".") ? String(text.dropFirst()) : text
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix("."), !name.utf8.contains(0) else {
      context.report(
        .warning, path, "\(text.quoted) is not an extension",
        "it was ignored: write what follows the last dot of a name, such as txt")
      return nil
    }
    if name != text {
      context.report(
        .warning, path, "\(text.quoted) begins with a dot", "it was read as \(name.quoted)")
    }
    return .named(extension: name)
  }

  func mimeType(_ text: String) -> TypeTag? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !text.contains(where: \.isWhitespace)
    else {
      context.report(
        .warning, path, "\(text.quoted) is not a MIME type",
        "it was ignored: write it as TYPE/SUBTYPE, such as text/plain")
      return nil
    }
    return .named(mimeType: text)
  }

  func osType(_ text: String) -> TypeTag? {
    guard text.count == 4 else {
      context.report(
        .warning, path, "\(text.quoted) is not an OS type",
        "it was ignored: one has four characters, such as TEXT")
      return nil
    }
    return .osType(text)
  }
}
