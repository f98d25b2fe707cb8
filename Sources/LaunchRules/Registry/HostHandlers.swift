/// The system applications for hosts of web URLs (R2.12), sorted after each change.
struct HostHandlers: Sendable {
  private var standings: [WebHost: [HandlerStanding]] = [:]

  /// Best first.
  subscript(host: WebHost) -> [HandlerStanding] { standings[host] ?? [] }

  /// Replaces the application `old` by `new`; each may be nil.
  mutating func update(
    _ identifier: BundleIdentifier, from old: InstalledApplication?,
    to new: InstalledApplication?, _ policy: CollisionPolicy
  ) {
    let hosts = Self.hosts(of: new)
    for host in hosts.union(Self.hosts(of: old)) {
      var changed = standings.removeValue(forKey: host) ?? []
      let standing = hosts.contains(host) ? new.map { HandlerStanding(host: $0, policy) } : nil
      changed.removeAll { $0.identifier == identifier }
      changed = (changed + [standing].compactMap(\.self)).sorted()
      if !changed.isEmpty { standings[host] = changed }
    }
  }

  /// The hosts of a system application; other applications have none.
  private static func hosts(of application: InstalledApplication?) -> Set<WebHost> {
    guard let application, application.isSystem else { return [] }
    return Set(application.declaration.webHosts)
  }
}
