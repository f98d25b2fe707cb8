internal import ApplicationFolders
internal import LaunchRules

// Very many property lists that were read change copies of what is known and of the registry, on another thread.
// Then these take the place of what was before, both at once.

/// What a round has read, and what it changes.
nonisolated struct LargeRound: Sendable {
  let read: [ApplicationRecord]
  /// What was read still counts.
  let counts: @Sendable (ApplicationRecord) -> Bool
  /// Property lists of which only the cache knew.
  var gone: [String] = []
  /// The paths that the user has registered.
  let registered: Set<String>
  /// The daemon starts.
  var isFirst = false

  struct Successor: Sendable {
    var known: KnownPropertyLists
    var registry: Registry
    let changesRegistry: Bool
    /// Other domains are declared.
    let changesLinks: Bool
    /// Those of applications that came and are reached by them.
    let busNames: [BundleIdentifier]
    /// Declared by applications that were read.
    let linkDomains: Set<WebHost>
    let diagnostics: [Diagnostic]
  }

  /// - Parameters:
  ///   - registry: `before`, or what became of it already.
  ///   - before: what answers until the successor does.
  func successor(
    of known: KnownPropertyLists, _ registry: Registry, before: Registry
  ) -> Successor {
    var (known, registry) = (known, registry)
    let change = ReadingChange(
      read.filter(counts), before: known.readings, isRegistered: registered.contains,
      isMissing: RegistryKeeper.isMissing)
    known.take(change)
    registry.change(removing: gone + change.removing, installing: change.installing)
    // It takes long, and a daemon that starts is not to wait for it.
    if !isFirst { known.executables.catchUp(known.readings) }
    let duplicates = Set(before.duplicateDiagnostics)
    let came = isFirst ? registry.records : change.installing
    return Successor(
      known: known, registry: registry,
      changesRegistry: registry.generation != before.generation,
      changesLinks: registry.linkGeneration != before.linkGeneration,
      busNames: came.filter(\.isDBusActivatable).compactMap(\.identifier),
      linkDomains: Set(change.installing.flatMap(\.associatedDomains).map(\.domain)),
      diagnostics: change.diagnostics
        + registry.duplicateDiagnostics.filter { !duplicates.contains($0) })
  }
}

extension RegistryKeeper {
  /// With more of them than these, a round is a large one. What fewer change takes no time worth a copy.
  nonisolated static let mostInPlace = 64

  /// Takes in what was read, away from the main actor.
  /// - Parameters:
  ///   - known: what was known a moment ago.
  ///   - registry: `before`, or what became of it already.
  ///   - before: a copy of the registry that `copyRegistry` gave.
  func take(
    _ round: LargeRound, changing known: KnownPropertyLists, _ registry: Registry,
    of before: Registry
  ) async {
    changesMeanwhile.begin()
    let journal = journal
    var successor = await Task.detached {
      let successor = round.successor(of: known, registry, before: before)
      Self.report(successor.diagnostics, journal)
      return successor
    }.value
    changesMeanwhile.end(&successor.known)
    discard(self.known)
    self.known = successor.known
    replaceRegistry(&successor)
  }
}

/// Lets go of something elsewhere, after those who run now on the main actor have: taking very much apart takes
/// time.
nonisolated func discard(_ value: consuming some Sendable) {
  Task.detached { [value] in
    await MainActor.run {}
    withExtendedLifetime(value) {}
  }
}
