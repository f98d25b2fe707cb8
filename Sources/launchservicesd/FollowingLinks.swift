internal import ApplicationFolders
internal import Host
internal import LaunchRules

// Property lists that are links, as to one in a source tree: their folder does not change when what they
// lead to does.

/// Where links lead, and the property lists that are such links.
nonisolated struct LinkedPropertyLists: Sendable {
  private var links: [String: Set<String>] = [:]

  /// - Returns: false when it was known.
  mutating func add(_ link: String, to target: String) -> Bool {
    links[target, default: []].insert(link).inserted
  }

  /// The property lists that change with this file.
  func leading(to target: String) -> Set<String> { links[target] ?? [] }
}

extension RegistryKeeper {
  /// Watches where these lead, too.
  func follow(_ targets: [String: String]) {
    for (link, target) in targets where linked.add(link, to: target) {
      watch?.watch(Self.watchedFolder(of: target))
    }
  }

  /// Where those lead that are links. May take as long as the file systems that they lead to.
  nonisolated static func targets(of paths: some Sequence<String>) -> [String: String] {
    var targets: [String: String] = [:]
    for path in paths {
      if let target = SymbolicLink.end(of: path), target != path { targets[path] = target }
    }
    return targets
  }
}
