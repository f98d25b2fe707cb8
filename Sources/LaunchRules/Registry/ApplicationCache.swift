/// An application as questions need it.
package struct ReadyApplication: Sendable {
  package let application: InstalledApplication
  package let allowlist: QueryAllowlist

  package init(_ application: InstalledApplication) {
    self.application = application
    allowlist = QueryAllowlist(application.declaration)
  }
}

/// Keeps applications ready that were asked for lately: reading one from its record takes longer than most questions
/// about it. The owner of a registry brings the cache, because a cache is state and the rules have none.
package protocol ApplicationCache: Sendable {
  /// - Parameter record: finds the record of the application; nil when there is none.
  func ready(
    _ identifier: BundleIdentifier, _ record: () -> ApplicationRecord?
  ) -> ReadyApplication?

  /// The cache for a registry whose contents have changed. Copies of the registry as it was keep this one.
  func afterChange() -> any ApplicationCache
}

/// Keeps nothing.
package struct NoCache: ApplicationCache {
  package init() {}

  package func ready(
    _ identifier: BundleIdentifier, _ record: () -> ApplicationRecord?
  ) -> ReadyApplication? {
    record()?.application.map(ReadyApplication.init)
  }

  package func afterChange() -> any ApplicationCache { self }
}
