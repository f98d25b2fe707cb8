internal import Host

/// The property lists that are symbolic links, for example to files in a source tree, and their targets. A
/// change of the target does not change the folder of the link, so the targets are watched separately.
nonisolated struct SymbolicLinkMonitor: Sendable {
  private var links: [String: Set<String>] = [:]

  /// - Returns: false when the target of the link was known already.
  mutating func add(_ link: String, to target: String) -> Bool {
    links[target, default: []].insert(link).inserted
  }

  /// The symbolic links with this target.
  func leading(to target: String) -> Set<String> { links[target] ?? [] }

  /// The targets of those paths that are symbolic links. May block on the file systems of the targets.
  static func targets(of paths: some Sequence<String>) -> [String: String] {
    var targets: [String: String] = [:]
    for path in paths {
      if let target = SymbolicLink.end(of: path), target != path { targets[path] = target }
    }
    return targets
  }
}
