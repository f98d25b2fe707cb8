internal import Host

/// The property lists that are symbolic links, as to one in a source tree, and the files they lead to: the
/// folder of a link does not change when its target does.
nonisolated struct SymbolicLinkMonitor: Sendable {
  private var links: [String: Set<String>] = [:]

  /// - Returns: false when the link was known to lead there.
  mutating func add(_ link: String, to target: String) -> Bool {
    links[target, default: []].insert(link).inserted
  }

  /// The property lists that change with this file.
  func leading(to target: String) -> Set<String> { links[target] ?? [] }

  /// The targets of those that are links. May take as long as the file systems that they lead to.
  static func targets(of paths: some Sequence<String>) -> [String: String] {
    var targets: [String: String] = [:]
    for path in paths {
      if let target = SymbolicLink.end(of: path), target != path { targets[path] = target }
    }
    return targets
  }
}
