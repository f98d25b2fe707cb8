/// An application in the form that queries need. A class, because each query passes it on, and a copy of the
/// declaration counts as many references as the declaration has properties.
package final class ReadyApplication: Sendable {
  package let application: InstalledApplication
  package let allowlist: QueryAllowlist

  package init(_ application: InstalledApplication) {
    self.application = application
    allowlist = QueryAllowlist(application.declaration)
  }
}

/// A cache of recently used applications: decoding an application from its record takes longer than most
/// queries. The owner of a registry provides the cache, because the rules are stateless.
package protocol ApplicationCache: Sendable {
  /// - Parameter record: returns the record of the application; nil when there is none.
  func ready(
    _ identifier: BundleIdentifier, _ record: () -> ApplicationRecord?
  ) -> ReadyApplication?

  /// The cache for a registry with changed contents. Copies of the unchanged registry keep this cache.
  func afterChange() -> any ApplicationCache
}

/// A cache that stores nothing.
package struct NoCache: ApplicationCache {
  package init() {}

  package func ready(
    _ identifier: BundleIdentifier, _ record: () -> ApplicationRecord?
  ) -> ReadyApplication? {
    record()?.application.map(ReadyApplication.init)
  }

  package func afterChange() -> any ApplicationCache { self }
}
