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

  /// The targets of those paths that are symbolic links, without those that do not answer.
  static func targets(of paths: Set<String>) async -> [String: String] {
    let paths = Array(paths)
    let ends = await FileSequence.answers(
      about: paths[...], path: { $0 }, { SymbolicLink.end(of: $0) })
    var targets: [String: String] = [:]
    for case (let path, .some(.some(let target))) in zip(paths, ends) where target != path {
      targets[path] = target
    }
    return targets
  }
}
