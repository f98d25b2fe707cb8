/// The copies of an application. The first copy is in use (R1.10, R2.20).
struct Copies: Sendable {
  /// Best first; never empty.
  private(set) var records: [ApplicationRecord]

  init(_ records: [ApplicationRecord]) {
    self.records = records
    sort()
  }

  var inUse: ApplicationRecord { records[0] }

  /// Sorts the copies: property lists before desktop entries; then system copies first; then, on macOS, the
  /// highest version; then the latest installation, which alone decides on iOS, where an installation replaces the
  /// application. The path makes the order total.
  private mutating func sort() {
    let copies = records.compactMap { record in record.application.map { (record, $0) } }
    let comparesVersions = copies.allSatisfy { $0.1.declaration.platform == .macOS }
    records = copies.sorted { one, other in
      let (left, right) = (one.1, other.1)
      if left.origin != right.origin { return left.origin == .propertyList }
      if left.isSystem != right.isSystem { return left.isSystem }
      let versions = (left.declaration.version, right.declaration.version)
      if comparesVersions && versions.0 != versions.1 { return versions.0 > versions.1 }
      if left.installedAt != right.installedAt { return left.installedAt > right.installedAt }
      return left.propertyList < right.propertyList
    }.map(\.0)
  }

  /// A diagnostic for each copy that is not in use.
  var duplicateDiagnostics: [Diagnostic] {
    records.dropFirst().filter { $0.application?.origin == .propertyList }.map { copy in
      Diagnostic(
        .warning, file: copy.propertyList, keyPath: "CFBundleIdentifier",
        problem: "two bundles with one identifier, \(copy.identifier?.text ?? "")",
        consequence: "\(inUse.propertyList) is used instead; "
          + "remove one of them or change its identifier")
    }
  }
}
