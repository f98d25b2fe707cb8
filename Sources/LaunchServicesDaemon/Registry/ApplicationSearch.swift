internal import LaunchRules

/// Searches through all applications, on another thread with an immutable copy of the registry.
final class ApplicationSearch {
  /// The applications to find; most questions return at most `mostAtOnce`.
  enum Question {
    /// The applications that may open a URL, best first, after the given one.
    case handlers(URLScheme, WebHost?, after: BundleIdentifier?)
    case identifier(BundleIdentifier)
    case name(String)
    case path(String)
    /// All applications with identifiers greater than a text, in the order of their identifiers.
    case all(after: String)
  }

  /// The identifiers of applications, each with the reason of its rank.
  struct Handlers: Sendable {
    let identifiers: [String]
    let reasons: [String]
  }

  private static let mostAtOnce = 100

  /// The identifiers of the registry of this generation, in the order of their texts.
  private var order: (generation: UInt64, identifiers: [BundleIdentifier])?

  /// The applications that may get URLs of the scheme, best first.
  func handlers(of scheme: URLScheme, in registry: Registry) async -> Handlers {
    await Task.detached {
      let candidates = registry.visibleCandidates(for: scheme)
      return Handlers(
        identifiers: candidates.map(\.identifier.text),
        reasons: candidates.map(\.reason.description))
    }.value
  }

  func find(_ question: Question, in registry: Registry) async -> [InstalledApplication] {
    switch question {
    case .handlers(let scheme, let host, let last):
      // An application that is no longer a candidate has no position, so the list starts from the beginning.
      let start = last.flatMap { registry.candidateCount(for: scheme, host: host, through: $0) }
      return registry.candidates(
        for: scheme, host: host, from: start ?? 0, most: Self.mostAtOnce
      ).compactMap { registry.application($0.identifier) }
    case .identifier(let identifier): return registry.copies(of: identifier)
    case .name(let name):
      let most = Self.mostAtOnce
      return await Task.detached { Array(registry.applications(named: name).prefix(most)) }.value
    case .path(let path): return registry.applications(at: path)
    case .all(let text):
      let identifiers = await identifiers(of: registry)
      let start = text.isEmpty ? 0 : identifiers.partitioningIndex { $0.text <= text }
      return identifiers[start...].prefix(Self.mostAtOnce).compactMap(registry.application)
    }
  }

  private func identifiers(of registry: Registry) async -> [BundleIdentifier] {
    if let order, order.generation == registry.generation { return order.identifiers }
    let identifiers = await Task.detached {
      registry.identifiers.sorted { $0.text < $1.text }
    }.value
    order = (registry.generation, identifiers)
    return identifiers
  }
}

extension Array {
  /// The index of the first element for which the predicate is false. The predicate must be true for all
  /// elements before that index.
  fileprivate func partitioningIndex(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
