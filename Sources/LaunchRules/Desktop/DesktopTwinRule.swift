/// An application with a property list and a desktop entry of the same name is one application: that of the property
/// list, with the claims of both.
///
/// The desktop entry of `com.example.photos` is `com.example.photos.desktop`; both names are names of the application.
/// The claims of the property list keep their ranks. What only the entry claims keeps the rank of a desktop entry, behind
/// the property lists of all applications. The program is that of the property list.
///
/// A system application takes nothing from a desktop entry, because its claims need no allowlist: the entry remains an
/// application.
package enum DesktopTwinRule {
  private static let ending = ".desktop"

  /// The identifier of the property list for a desktop file ID; nil for other identifiers.
  package static func twin(ofEntry identifier: BundleIdentifier) -> BundleIdentifier? {
    let text = identifier.text
    guard text.utf8.count > ending.utf8.count,
      text.suffix(ending.utf8.count).lowercased() == ending
    else { return nil }
    return BundleIdentifier(String(text.dropLast(ending.utf8.count)))
  }

  /// The desktop file ID for the identifier of a property list.
  package static func entry(of identifier: BundleIdentifier) -> BundleIdentifier? {
    BundleIdentifier(identifier.text + ending)
  }

  /// The identifier of the property list that a record may be one application with; nil for a record of another kind.
  package static func twin(of record: ApplicationRecord) -> BundleIdentifier? {
    record.isDesktopEntry ? record.identifier.flatMap(twin(ofEntry:)) : nil
  }

  /// A phrase for explanations: which of the two makes a claim.
  package static func claimant(isEntry: Bool) -> String {
    isEntry ? "its desktop entry makes the claim" : "its property list makes the claim"
  }

  /// The records of the property lists of an application, each with the claims of the desktop entry; empty without a
  /// property list, so that the entry is an application.
  /// - Parameter entry: nil removes the claims of an earlier entry.
  package static func records(
    of listed: BundleIdentifier, with entry: ApplicationRecord?, in registry: Registry
  ) -> [ApplicationRecord] {
    let copies = registry.copies(of: listed).filter { $0.identifier == listed }
    guard let first = copies.first, first.origin == .propertyList, !first.isSystem else {
      return []
    }
    let entry = entry?.application?.declaration
    return copies.filter { $0.origin == .propertyList && !$0.isSystem }.map { copy in
      var copy = copy
      copy.declaration.take(entry)
      return ApplicationRecord(copy)
    }
  }
}

extension Registry {
  /// The reason of the rank; for an application with a property list and a desktop entry, also which of the two makes the
  /// claim.
  package func explained(_ candidate: DocumentCandidate) -> String {
    guard let claim = candidate.claim, let application = application(candidate.identifier),
      application.declaration.hasDesktopEntry
    else { return candidate.why }
    let isListed = application.declaration.documents.types.contains {
      $0.desktopOrder == nil && $0.opens && $0.claims.contains(claim)
    }
    return "\(candidate.why); \(DesktopTwinRule.claimant(isEntry: !isListed))"
  }
}

extension ApplicationDeclaration {
  /// Replaces the claims of an earlier desktop entry.
  fileprivate mutating func take(_ entry: ApplicationDeclaration?) {
    hasDesktopEntry = entry != nil
    urlTypes.removeAll { $0.desktopOrder != nil }
    documents.types.removeAll { $0.desktopOrder != nil }
    guard let entry else { return }
    let claimed = Set(urlTypes.flatMap(\.schemes))
    urlTypes += entry.urlTypes.compactMap { type in
      var type = type
      type.schemes.removeAll(where: claimed.contains)
      type.desktopOrder = type.desktopOrder ?? 0
      return type.schemes.isEmpty ? nil : type
    }
    documents.types += entry.documents.types.map { type in
      var type = type
      type.desktopOrder = type.desktopOrder ?? 0
      return type
    }
  }
}
