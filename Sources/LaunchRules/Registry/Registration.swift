/// The copies of one application, of which one is in use (R1.10, R2.20).
struct Registration: Sendable {
  /// Best first; never empty.
  private(set) var copies: [InstalledApplication]
  /// Of the copy in use.
  private(set) var allowlist: QueryAllowlist

  init(_ application: InstalledApplication) {
    copies = [application]
    allowlist = QueryAllowlist(application.declaration)
  }

  var inUse: InstalledApplication { copies[0] }

  mutating func insert(_ copy: InstalledApplication) {
    copies.append(copy)
    sort()
  }

  /// Nil when no copy is left.
  func without(_ propertyList: String) -> Registration? {
    var rest = self
    rest.copies.removeAll { $0.propertyList == propertyList }
    guard !rest.copies.isEmpty else { return nil }
    rest.sort()
    return rest
  }

  /// System copies first. Then, on macOS, the highest version. Then the last installed, which is
  /// all that counts on iOS, where installing replaces. The path makes the order total.
  private mutating func sort() {
    let comparesVersions = copies.allSatisfy { $0.declaration.platform == .macOS }
    copies.sort { left, right in
      if left.isSystem != right.isSystem { return left.isSystem }
      let versions = (left.declaration.version, right.declaration.version)
      if comparesVersions && versions.0 != versions.1 { return versions.0 > versions.1 }
      if left.installedAt != right.installedAt { return left.installedAt > right.installedAt }
      return left.propertyList < right.propertyList
    }
    allowlist = QueryAllowlist(inUse.declaration)
  }

  /// One for every copy that is not in use.
  var duplicateDiagnostics: [Diagnostic] {
    copies.dropFirst().map { copy in
      Diagnostic(
        .warning, file: copy.propertyList, keyPath: "CFBundleIdentifier",
        problem: "two bundles with one identifier, \(copy.identifier)",
        consequence: "\(inUse.propertyList) is used instead; "
          + "remove one of them or change its identifier")
    }
  }
}
