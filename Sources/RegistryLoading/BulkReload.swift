internal import ApplicationFolders
internal import LaunchRules

/// Applies a large number of read property lists to a copy of the registry and of the property list table.
/// The changed copies then replace the originals at once.
nonisolated struct BulkReload: Sendable {
  let read: [ApplicationRecord]
  /// Returns whether the reading of a property list is still valid.
  let counts: @Sendable (ApplicationRecord) -> Bool
  /// Property lists that exist in the cache only.
  var gone: [String] = []
  /// The paths that the user has registered.
  let registered: Set<String>
  /// Whether this is the first reload, during the start of the daemon.
  var isFirst = false

  struct Outcome: Sendable {
    var propertyLists: LoadedPropertyLists
    var registry: Registry
    let change: RegistryChange
    let diagnostics: [Diagnostic]
  }

  /// - Parameter before: the registry in use until the outcome replaces it.
  func outcome(of base: LoadedRegistry.Base, before: Registry) -> Outcome {
    var (propertyLists, registry) = (base.propertyLists, base.registry)
    let change = ReadingChange(
      read.filter(counts), before: propertyLists.records, isRegistered: registered.contains,
      isMissing: isMissing)
    propertyLists.take(change)
    registry.change(removing: gone + change.removing, installing: change.installing)
    // Locating executables takes long, and would delay the start of the daemon.
    if !isFirst { propertyLists.locateExecutables() }
    let duplicates = Set(before.duplicateDiagnostics)
    let came = isFirst ? registry.records : change.installing
    return Outcome(
      propertyLists: propertyLists, registry: registry,
      change: RegistryChange(
        changesRegistry: registry.generation != before.generation,
        changesLinks: registry.linkGeneration != before.linkGeneration,
        linkDomains: Set(change.installed.flatMap(\.associatedDomains).map(\.domain)),
        applications: nil,
        activatable: came.filter(\.isDBusActivatable).compactMap(\.identifier)),
      diagnostics: change.diagnostics
        + registry.duplicateDiagnostics.filter { !duplicates.contains($0) })
  }
}
