/// The quotas of all applications linked before iOS 9 (R3.8), kept across restarts.
package struct LegacyQuotas: Hashable, Sendable {
  package private(set) var quotas: [BundleIdentifier: LegacyQuota]
  /// Grows by one with every change, so that the owner knows when to store the quotas.
  package private(set) var generation: UInt64 = 0

  package init(_ quotas: [BundleIdentifier: LegacyQuota] = [:]) { self.quotas = quotas }

  /// Counts a scheme for an application. The count starts over for a different version or property list, but
  /// not for a different modification time of the file.
  package mutating func admit(
    _ scheme: URLScheme, for application: InstalledApplication
  ) -> LegacyQuota.Verdict {
    let stamp = "\(application.declaration.version) \(application.propertyList)"
    var quota = quotas[application.identifier] ?? LegacyQuota(stamp: stamp)
    if quota.stamp != stamp { quota = LegacyQuota(stamp: stamp) }
    let verdict = quota.admit(scheme)
    if verdict == .counted {
      quotas[application.identifier] = quota
      generation += 1
    }
    return verdict
  }

  /// Resets the count of an application, when it is registered again or removed.
  package mutating func reset(_ identifier: BundleIdentifier) {
    if quotas.removeValue(forKey: identifier) != nil { generation += 1 }
  }
}
