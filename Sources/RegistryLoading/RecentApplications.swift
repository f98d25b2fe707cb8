package import LaunchRules
internal import Synchronization

/// A cache of the recently requested applications of a registry. Registries are used on several threads.
package nonisolated final class RecentApplications: ApplicationCache {
  /// The cache shared by all states of the registry, keyed by record: most records survive a change.
  private final class ByRecord: Sendable {
    private let ready = Mutex<[ApplicationRecord: ReadyApplication]>([:])

    subscript(record: ApplicationRecord) -> ReadyApplication? {
      if let known = ready.withLock({ $0[record] }) { return known }
      guard let new = record.application.map(ReadyApplication.init) else { return nil }
      ready.withLock { RecentApplications.add(new, as: record, to: &$0) }
      return new
    }
  }

  private let byRecord: ByRecord
  /// The cache of this state of the registry.
  private let byIdentifier = Mutex<[BundleIdentifier: ReadyApplication]>([:])
  private static let most = 128

  package convenience init() { self.init(ByRecord()) }

  private init(_ byRecord: ByRecord) { self.byRecord = byRecord }

  package func ready(
    _ identifier: BundleIdentifier, _ record: () -> ApplicationRecord?
  ) -> ReadyApplication? {
    if let known = byIdentifier.withLock({ $0[identifier] }) { return known }
    guard let new = record().flatMap({ byRecord[$0] }) else { return nil }
    byIdentifier.withLock { Self.add(new, as: identifier, to: &$0) }
    return new
  }

  package func afterChange() -> any ApplicationCache { RecentApplications(byRecord) }

  private static func add<Key>(
    _ new: ReadyApplication, as key: Key, to ready: inout [Key: ReadyApplication]
  ) {
    if ready.count >= most { ready.removeAll() }
    ready[key] = new
  }
}
