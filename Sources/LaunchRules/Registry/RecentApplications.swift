internal import Synchronization

/// The applications that were asked for lately, ready for use: reading one from its record takes longer than
/// most questions about it.
///
/// Found by their whole records, so that registries with different contents may share it.
final class RecentApplications: Sendable {
  final class Ready: Sendable {
    let application: InstalledApplication
    let allowlist: QueryAllowlist

    init(_ application: InstalledApplication) {
      self.application = application
      allowlist = QueryAllowlist(application.declaration)
    }
  }

  private let ready = Mutex<[ApplicationRecord: Ready]>([:])
  private static let most = 128

  subscript(record: ApplicationRecord) -> Ready? {
    if let known = ready.withLock({ $0[record] }) { return known }
    guard let application = record.application else { return nil }
    let new = Ready(application)
    ready.withLock { ready in
      if ready.count >= Self.most { ready.removeAll() }
      ready[record] = new
    }
    return new
  }
}

/// Those among them that are in use in one state of a registry, by identifier. Another state has another
/// one.
final class RecentlyUsed: Sendable {
  private let ready = Mutex<[BundleIdentifier: RecentApplications.Ready]>([:])
  private static let most = 128

  /// - Parameter find: finds it when it is not known.
  subscript(
    identifier: BundleIdentifier, finding find: () -> RecentApplications.Ready?
  ) -> RecentApplications.Ready? {
    if let known = ready.withLock({ $0[identifier] }) { return known }
    guard let new = find() else { return nil }
    ready.withLock { ready in
      if ready.count >= Self.most { ready.removeAll() }
      ready[identifier] = new
    }
    return new
  }
}
