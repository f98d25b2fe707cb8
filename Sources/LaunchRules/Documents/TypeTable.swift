/// All declared types with their conformance.
package struct TypeTable: Sendable {
  /// A declaration and its owner.
  struct Entry: Hashable, Sendable {
    let declaration: TypeDeclaration
    let isExported: Bool
    let isSystem: Bool
    let owner: BundleIdentifier
  }

  /// The declarations of each type, best first.
  private var entries: [TypeIdentifier: [Entry]] = [:]
  /// The types of each tag, best first.
  private var tagged: [TypeTag: [TypeIdentifier]] = [:]

  package init() {}

  /// The basic types, which exist without a declaration by an application.
  private static let roots: [TypeIdentifier: [TypeIdentifier]] = [
    .data: [.item], .directory: [.item], .folder: [.directory], .package: [.directory],
  ]

  /// The declaration in effect: exported before imported ones (R1.22), then those of system applications
  /// first.
  package subscript(type: TypeIdentifier) -> TypeDeclaration? { entries[type]?.first?.declaration }

  /// The owner of the declaration in effect.
  package func owner(of type: TypeIdentifier) -> BundleIdentifier? { entries[type]?.first?.owner }

  package func isKnown(_ type: TypeIdentifier) -> Bool {
    entries[type] != nil || Self.roots[type] != nil || type == .item
  }

  /// The types with the tag, best first.
  package func types(of tag: TypeTag) -> [TypeIdentifier] { tagged[tag] ?? [] }

  /// The types that the type conforms to directly, according to its declaration.
  package func parents(of type: TypeIdentifier) -> [TypeIdentifier] {
    if let declaration = self[type] { return declaration.conformsTo }
    return DynamicType.parent(of: type).map { [$0] } ?? Self.roots[type] ?? []
  }

  /// The type itself, then all types that it conforms to, by distance: each level is one step further away.
  /// Cyclic declarations are visited once.
  package func levels(of type: TypeIdentifier) -> [[TypeIdentifier]] {
    var levels = [[type]]
    var seen: Set = [type]
    while let last = levels.last, seen.count < Self.mostAncestors {
      let next = last.flatMap(parents).filter { seen.insert($0).inserted }
      if next.isEmpty { break }
      levels.append(next)
    }
    return levels
  }

  /// Maximum number of ancestors, higher than real types need.
  private static let mostAncestors = 256

  package func conforms(_ type: TypeIdentifier, to other: TypeIdentifier) -> Bool {
    levels(of: type).contains { $0.contains(other) }
  }
}

// MARK: - Changes

extension TypeTable {
  /// Replaces the application `old` by `new`; each may be nil.
  mutating func update(from old: InstalledApplication?, to new: InstalledApplication?) {
    let before = old.map(Self.entries) ?? []
    let after = new.map(Self.entries) ?? []
    for type in Set((before + after).map(\.declaration.identifier)) {
      setTags(of: type, isThere: false)
      var all = entries.removeValue(forKey: type) ?? []
      all.removeAll { $0.owner == old?.identifier || $0.owner == new?.identifier }
      all += after.filter { $0.declaration.identifier == type }
      if !all.isEmpty { entries[type] = all.sorted(by: Self.counts) }
      setTags(of: type, isThere: true)
    }
  }

  /// The declarations of an application. Of several declarations of one type, the first is used.
  private static func entries(of application: InstalledApplication) -> [Entry] {
    var seen: Set<TypeIdentifier> = []
    let documents = application.declaration.documents
    return [(documents.exported, true), (documents.imported, false)].flatMap { list, isExported in
      list.filter { seen.insert($0.identifier).inserted }.map {
        Entry(
          declaration: $0, isExported: isExported, isSystem: application.isSystem,
          owner: application.identifier)
      }
    }
  }

  private static func counts(_ left: Entry, before right: Entry) -> Bool {
    if left.isExported != right.isExported { return left.isExported }
    if left.isSystem != right.isSystem { return left.isSystem }
    return left.owner < right.owner
  }

  private mutating func setTags(of type: TypeIdentifier, isThere: Bool) {
    for tag in Set(self[type]?.tags ?? []) {
      var types = tagged.removeValue(forKey: tag) ?? []
      types.removeAll { $0 == type }
      if isThere {
        types.append(type)
        types.sort(by: isBetter)
      }
      if !types.isEmpty { tagged[tag] = types }
    }
  }

  /// The order of two types with the same tag: system types first, then types that their owner exports.
  private func isBetter(_ left: TypeIdentifier, than right: TypeIdentifier) -> Bool {
    guard let one = entries[left]?.first, let other = entries[right]?.first else { return false }
    if one.isSystem != other.isSystem { return one.isSystem }
    if one.isExported != other.isExported { return one.isExported }
    return left < right
  }
}
