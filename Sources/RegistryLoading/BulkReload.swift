internal import ApplicationFolders
internal import LaunchRules

/// Changes a copy of the registry, and of what is known of the property lists, because very many were read.
/// The changed copies replace the originals at once.
nonisolated struct BulkReload: Sendable {
  let read: [ApplicationRecord]
  /// What was read of a property list still counts.
  let counts: @Sendable (ApplicationRecord) -> Bool
  /// Property lists of which only the cache knew.
  var gone: [String] = []
  /// The paths that the user has registered.
  let registered: Set<String>
  /// The daemon starts.
  var isFirst = false

  struct Outcome: Sendable {
    var propertyLists: LoadedPropertyLists
    var registry: Registry
    let change: RegistryChange
    let diagnostics: [Diagnostic]
  }

  /// - Parameter before: what answers until the outcome replaces it.
  func outcome(of base: LoadedRegistry.Base, before: Registry) -> Outcome {
    var (propertyLists, registry) = (base.propertyLists, base.registry)
    let change = ReadingChange(
      read.filter(counts), before: propertyLists.records, isRegistered: registered.contains,
      isMissing: isMissing)
    propertyLists.take(change)
    registry.change(removing: gone + change.removing, installing: change.installing)
    // It takes long, and a daemon that starts does not wait for it.
    if !isFirst { propertyLists.locateExecutables() }
    let duplicates = Set(before.duplicateDiagnostics)
    let came = isFirst ? registry.records : change.installing
    return Outcome(
      propertyLists: propertyLists, registry: registry,
      change: RegistryChange(
        changesRegistry: registry.generation != before.generation,
        changesLinks: registry.linkGeneration != before.linkGeneration,
        linkDomains: Set(change.installing.flatMap(\.associatedDomains).map(\.domain)),
        applications: nil,
        activatable: came.filter(\.isDBusActivatable).compactMap(\.identifier)),
      diagnostics: change.diagnostics
        + registry.duplicateDiagnostics.filter { !duplicates.contains($0) })
  }
}
