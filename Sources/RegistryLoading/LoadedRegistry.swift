internal import ApplicationFolders
package import Host
package import LaunchRules

/// The registry together with the records of its property lists. A reading changes both together.
package final class LoadedRegistry {
  package private(set) var registry: Registry
  private var propertyLists = LoadedPropertyLists()
  private var registryReplay = ChangeReplay<Registry>()
  private var propertyListReplay = ChangeReplay<LoadedPropertyLists>()
  private let journal: Journal
  /// The paths of the desktop entries in the registry.
  private var desktopEntries: Set<String> = []
  /// The desktop entries as they were read that are one application with a property list of a certain identifier,
  /// by this identifier.
  private var desktopTwins: [BundleIdentifier: ApplicationRecord] = [:]

  /// Called after each change.
  package var onChange: ((RegistryChange) -> Void)?

  package init(_ registry: Registry, _ journal: Journal) {
    self.registry = registry
    self.journal = journal
  }

  /// Changes the registry in place.
  package func change(_ body: @escaping (inout Registry) -> Void) {
    let change = make(body)
    onChange?(change)
  }

  package func diagnostics(of propertyList: String) -> [Diagnostic] {
    propertyLists.records[propertyList]?.diagnostics ?? []
  }

  /// The only application with this executable; see `ExecutableIndex.owner`.
  package func owner(of executable: ProcessDetails.Executable) -> CallerRule.Executable {
    propertyLists.owner(of: executable)
  }

  /// Locates executables on a copy, when many have not been located.
  func locateExecutables() async {
    let start = propertyLists
    guard start.mustLocateExecutables else { return }
    let located = await Task.detached {
      var located = start
      located.locateExecutables()
      return located
    }.value
    propertyLists.takeExecutables(of: located, since: start)
  }

  private func make(_ body: @escaping (inout Registry) -> Void) -> RegistryChange {
    let duplicates = Set(registry.duplicateDiagnostics)
    let (generation, links) = (registry.generation, registry.linkGeneration)
    registryReplay.make(body, to: &registry)
    guard registry.generation != generation else { return RegistryChange() }
    journal.report(registry.duplicateDiagnostics.filter { !duplicates.contains($0) })
    return RegistryChange(
      changesRegistry: true, changesLinks: registry.linkGeneration != links)
  }
}

// MARK: - For the loader

extension LoadedRegistry {
  /// The records of all known property lists.
  var records: PropertyListTable { propertyLists.records }

  /// The records of these property lists. Returning the whole table would make the next change copy the
  /// table.
  func records(of paths: [String]) -> PropertyListTable {
    PropertyListTable(paths.compactMap { propertyLists.records[$0] })
  }

  /// Applies the readings of a few property lists in place.
  /// - Parameter registered: the paths that the user has registered.
  func take(_ read: [ApplicationRecord], registered: [String]) {
    let change = ReadingChange(
      read, before: records, isRegistered: registered.contains, isMissing: isMissing)
    propertyListReplay.make({ $0.take(change) }, to: &propertyLists)
    journal.report(change.diagnostics)
    guard !change.removing.isEmpty || !change.installing.isEmpty else { return }
    apply(removing: change.removing, installing: change.installing, installed: change.installed)
  }

  /// Removes property lists and their applications.
  func forget(_ paths: [String]) {
    propertyListReplay.make({ $0.remove(paths) }, to: &propertyLists)
    apply(removing: paths, installing: [])
  }

  /// Replaces the applications of the desktop.
  package func replaceDesktopApplications(_ records: [ApplicationRecord]) {
    let before = desktopTwins.keys
    desktopTwins = [:]
    for record in records {
      if let twin = DesktopTwinRule.twin(of: record) { desktopTwins[twin] = record }
    }
    var change = DesktopChange()
    for record in records {
      guard let listed = DesktopTwinRule.twin(of: record) else {
        change.entries.append(record)
        continue
      }
      join(listed, record, &change)
    }
    for listed in before where desktopTwins[listed] == nil {
      change.lists += DesktopTwinRule.records(of: listed, with: nil, in: registry)
    }
    let paths = Set(change.entries.map(\.propertyList))
    let gone = desktopEntries.subtracting(paths).sorted()
    desktopEntries = paths
    apply(removing: gone, installing: change.lists + change.entries)
  }

  /// The records that desktop entries change.
  private struct DesktopChange {
    /// Property lists with the claims of their entries.
    var lists: [ApplicationRecord] = []
    /// Entries that are applications.
    var entries: [ApplicationRecord] = []
    /// The paths of entries whose claims are those of a property list.
    var joined: [String] = []
  }

  private func join(
    _ listed: BundleIdentifier, _ entry: ApplicationRecord, _ change: inout DesktopChange
  ) {
    let lists = DesktopTwinRule.records(of: listed, with: entry, in: registry)
    change.lists += lists
    if lists.isEmpty {
      change.entries.append(entry)
    } else {
      change.joined.append(entry.propertyList)
    }
  }

  private func apply(
    removing: [String], installing: [ApplicationRecord], installed: [ApplicationRecord] = []
  ) {
    let gone = removing.compactMap { registry.application(at: $0)?.identifier }
    var change = make { $0.change(removing: removing, installing: installing) }
    change.linkDomains = Set(installed.flatMap(\.associatedDomains).map(\.domain))
    change.applications = gone + installing.compactMap(\.identifier)
    change.activatable = installing.filter(\.isDBusActivatable).compactMap(\.identifier)
    tell(change)
  }

  /// Applies the rule of one application again when a property list of a desktop entry came, changed or went.
  private func tell(_ change: RegistryChange) {
    onChange?(change)
    guard change.changesRegistry, !desktopTwins.isEmpty else { return }
    let twins = change.applications.map { Array(Set($0)) } ?? Array(desktopTwins.keys)
    var joining = DesktopChange()
    for listed in twins {
      if let entry = desktopTwins[listed] { join(listed, entry, &joining) }
    }
    guard !joining.lists.isEmpty || !joining.entries.isEmpty else { return }
    desktopEntries.formUnion(joining.entries.map(\.propertyList))
    desktopEntries.subtract(joining.joined)
    apply(removing: joining.joined, installing: joining.lists + joining.entries)
  }

  /// The state that a bulk reload starts from.
  struct Base: Sendable {
    let propertyLists: LoadedPropertyLists
    let registry: Registry
  }

  /// Starts to record changes for the outcome of a bulk reload. Only one reload may be in progress.
  func beginReload() -> Base {
    propertyListReplay.begin()
    registryReplay.begin()
    return Base(propertyLists: propertyLists, registry: registry)
  }

  /// Runs a bulk reload on another thread, and replaces the current state by its outcome.
  /// - Parameters:
  ///   - prepared: a base that was already changed; nil to use `base` itself.
  ///   - base: the result of `beginReload`.
  func finish(_ reload: BulkReload, changing prepared: Base? = nil, _ base: Base) async {
    let journal = journal
    var outcome = await Task.detached {
      let outcome = reload.outcome(of: prepared ?? base, before: base.registry)
      journal.report(outcome.diagnostics)
      return outcome
    }.value
    propertyListReplay.end(&outcome.propertyLists)
    discard(propertyLists)
    propertyLists = outcome.propertyLists
    registryReplay.end(&outcome.registry)
    guard outcome.change.changesRegistry else { return }
    outcome.registry.follow(registry)
    discard(registry)
    registry = outcome.registry
    tell(outcome.change)
  }
}

extension Journal {
  nonisolated func report(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      switch diagnostic.severity {
      case .error: error(diagnostic.logLine)
      case .warning: warning(diagnostic.logLine)
      case .note: info(diagnostic.logLine)
      }
    }
  }
}

/// Releases a value on another thread, after the current job of the main actor has released its reference:
/// freeing very many records takes long.
nonisolated private func discard(_ value: consuming some Sendable) {
  Task.detached { [value] in
    await MainActor.run {}
    withExtendedLifetime(value) {}
  }
}
