package import ApplicationFolders
package import Host
package import LaunchRules

/// Keeps the registry in sync with the files on disk and the registrations of the user.
///
/// Property lists are read on other threads, in rounds. The registry changes at the end of a round; until
/// then queries use the previous state.
package final class RegistryLoader {
  /// A round with more property lists is a bulk reload; a smaller round changes the registry in place, which
  /// costs less than a copy.
  private static let mostInPlace = 64

  private let folders: [ApplicationFolder]
  private let registry: LoadedRegistry
  private let choices: RegistryChoices
  private let journal: Journal
  private let monitor: FolderMonitor
  private let cacheWriter: RecordCacheWriter
  private var links = SymbolicLinkMonitor()
  private var schedule = ReadingSchedule()
  /// The contents of the cache, until the first comparison with the files on disk.
  private var cached: PropertyListTable?
  /// The task that reads changed property lists; nil when no reading is due.
  private var reader: Task<Void, Never>?

  /// Called after each round.
  package var onRound: (() -> Void)?
  /// Called at intervals during a round with many property lists, with the number read and the number due.
  package var onProgress: ((_ read: Int, _ due: Int) -> Void)?

  /// - Parameters:
  ///   - lookInterval: polling interval for folders that cannot be watched, in seconds.
  ///   - registry: the registry to keep in sync.
  package init(
    _ registry: LoadedRegistry, _ choices: RegistryChoices, folders: [ApplicationFolder],
    cache: RecordCache, lookInterval: Int, _ journal: Journal
  ) {
    self.registry = registry
    self.choices = choices
    self.folders = folders
    self.journal = journal
    monitor = FolderMonitor(lookInterval: lookInterval, journal)
    cacheWriter = RecordCacheWriter(cache, journal) { Array(registry.records.records) }
    monitor.onEvent = { [weak self] in self?.handle($0) }
  }

  /// Starts to watch, then reads everything, so that no change is missed.
  package func start() async {
    async let cached = cacheWriter.read()
    monitor.start(
      folders.map(\.path) + choices.registeredPaths.map(FolderMonitor.watchedFolder(of:)))
    self.cached = await cached
    await reload()
    monitor.startLooking()
  }

  /// Stops watching, and writes the cache if a write is pending.
  package func stop() {
    monitor.stop()
    cacheWriter.flush()
  }

  /// Reads all property lists again.
  package func reload() async {
    lookAtAll()
    await settle()
  }

  /// Returns when no reading is due.
  package func settle() async {
    while let reader { await reader.value }
  }

  private func handle(_ event: FolderMonitor.Event) {
    switch event {
    case .changed(let change): look(at: [], in: change.folders, of: change.applications)
    case .unknown: lookAtAll()
    }
  }

  private func lookAtAll() { look(at: choices.registeredPaths, in: Set(folders.map(\.path))) }

  // MARK: Registrations

  /// Registers a property list that was just read. An earlier registration is replaced.
  /// - Returns: the application, and whether it was registered before with the same declaration.
  package func register(
    _ found: PropertyListReader.Found<ApplicationReading>, definitions: [String: String]
  ) throws(RegistryRefusal) -> (application: InstalledApplication, isUnchanged: Bool) {
    var reading: ApplicationReading
    do throws(PropertyListPath.NotFound) {
      reading = try found.get()
    } catch {
      throw .invalidBundle(error.description)
    }
    let registration = RegistryState.Registration(
      path: reading.path, definitions: definitions, registeredAt: Time.fileClockNanoseconds())
    reading.application?.installedAt = registration.registeredAt
    guard let application = reading.application else {
      journal.report(reading.diagnostics)
      let errors = reading.diagnostics.filter { $0.severity == .error }
      throw .invalidBundle(errors.map(\.description).joined(separator: "\n"))
    }
    try choices.add(registration)
    let isUnchanged =
      registry.registry.application(at: reading.path)?.declaration == application.declaration
    monitor.watch(folderOf: reading.path)
    schedule.overtake([reading.path])
    let order = PropertyListOrder(
      path: reading.path, definitions: definitions, registeredAt: registration.registeredAt)
    registry.take([order.record(of: reading)], registered: choices.registeredPaths)
    // The folder was not watched during the reading, so the property list is checked again.
    look(at: [reading.path])
    return (application, isUnchanged)
  }

  /// - Parameter copies: the property lists of the application.
  package func unregister(_ name: String, copies: [String]) throws(RegistryRefusal) {
    let registered = copies.filter(choices.registeredPaths.contains)
    guard !registered.isEmpty else {
      guard let place = copies.first else {
        throw .notRegistered(OpenFailure.notRegistered(name).sentence)
      }
      throw .notPermitted(
        place.hasSuffix(".desktop")
          ? "\(name) is an application by its desktop entry, \(place); to have it no longer, remove the package that"
            + " installed the entry, or hide the entry with a file of the same name in"
            + " ~/.local/share/applications, with the lines [Desktop Entry] and Hidden=true"
          : "\(name) was found in an application folder; remove \(place) to unregister it")
    }
    try forget(registered)
  }

  /// Removes the registrations by path: all, or those with missing files.
  /// - Returns: the paths of their property lists.
  package func forgetRegistrations(missingOnly: Bool) throws(RegistryRefusal) -> [String] {
    let paths = choices.registeredPaths.filter { !missingOnly || isMissing($0) }
    if !paths.isEmpty { try forget(paths) }
    return paths
  }

  private func forget(_ registered: [String]) throws(RegistryRefusal) {
    try choices.removeRegistrations(of: Set(registered))
    schedule.forget(registered)
    registry.forget(registered)
    // An application in an application folder remains registered.
    look(at: Set(registered.filter { path in folders.contains { path.hasPrefix($0.path + "/") } }))
  }

  // MARK: Rounds

  /// Marks these property lists, folders and applications for the next round. Unchanged property lists are
  /// not read again. The registry changes once per round.
  private func look(
    at paths: some Sequence<String>, in folders: Set<String> = [],
    of applications: Set<String> = []
  ) {
    schedule.add(paths, in: folders, of: applications)
    guard reader == nil else { return }
    reader = Task { [weak self] in
      while let self, let due = schedule.next() {
        let found = await find(due)
        for (link, target) in found.targets where links.add(link, to: target) {
          monitor.watch(folderOf: target)
        }
        monitor.reportUnusable(found.unusable)
        await read(found.paths)
        onRound?()
      }
      self?.reader = nil
      // Runs as a separate task, because waiting callers do not need the result.
      Task { await self?.registry.locateExecutables() }
    }
  }

  private func find(_ due: ReadingSchedule.Round) async -> LoadRound.Found {
    var round = LoadRound(
      due: due, folders: folders, links: links, registered: choices.registeredPaths)
    if due.applications.count <= Self.mostInPlace { round.resolveApplications(registry.records) }
    // The copied table makes the next change copy the storage, so it is passed only when needed.
    let known = round.needsKnown ? registry.records : PropertyListTable()
    return await Task.detached { [round, journal] in await round.find(known, journal) }.value
  }

  /// - Parameter paths: without duplicates.
  private func read(_ paths: [String]) async {
    let first = cached
    cached = nil
    let before =
      first
      ?? (paths.count > Self.mostInPlace ? registry.records : registry.records(of: paths))
    let base = first.map { _ in registry.beginReload() }
    // Nearly all records of the cache are still current.
    async let loaded = Self.load(before, into: base?.registry)
    let result = await ParallelReading.read(
      await orders(for: paths), known: before, progress: progress())
    let prepared = await loaded
    for path in result.unanswered { readAgain(path) }
    let hasForgotten = first != nil && before.count != result.current.count
    if !result.read.isEmpty || hasForgotten { cacheWriter.writeSoon() }
    let counts = counts()
    let registered = Set(choices.registeredPaths)
    if let base, let prepared {
      let known = LoadedPropertyLists(
        hasForgotten ? .init(result.current) : before, current: result.current)
      journal.report(result.current.flatMap(\.diagnostics).sorted { $0.file < $1.file })
      let gone =
        hasForgotten ? before.records.filter { known.records[like: $0] == nil } : []
      await registry.finish(
        BulkReload(
          read: result.read, counts: counts, gone: gone.map(\.propertyList),
          registered: registered, isFirst: true),
        changing: .init(propertyLists: known, registry: prepared), base)
    } else if result.read.count > Self.mostInPlace {
      await registry.finish(
        BulkReload(read: result.read, counts: counts, registered: registered),
        registry.beginReload())
    } else {
      registry.take(result.read.filter(counts), registered: choices.registeredPaths)
    }
  }

  /// Reads a property list again when its file system answers. Until then, its last contents stay.
  private func readAgain(_ path: String) {
    journal.warning(
      "the file system of a property list does not answer; the property list is read when it does",
      ["path": path])
    UnansweredCalls.onAnswer(about: path) { [weak self] in
      Task { @MainActor in self?.look(at: [path]) }
    }
  }

  /// A registry with these records, made on another thread; nil without a base registry.
  private nonisolated static func load(
    _ records: PropertyListTable, into registry: Registry?
  ) async -> Registry? {
    await Task.detached {
      var registry = registry
      registry?.change(removing: [], installing: records.records.filter(\.hasApplication))
      return registry
    }.value
  }

  private func orders(for paths: [String]) async -> [PropertyListOrder] {
    let (folders, registrations) = (folders, choices.registrations)
    return await Task.detached { LoadRound.orders(for: paths, in: folders, registrations) }.value
  }

  private func progress() -> (_ read: Int, _ due: Int) -> Void {
    var pace = ReadingPace(beginningAt: Time.monotonicMicroseconds())
    return { [onProgress] read, due in
      if pace.tells(read, of: due, at: Time.monotonicMicroseconds()) { onProgress?(read, due) }
    }
  }

  /// Returns whether a reading is valid. Call after reading: a file that is being written by then may have
  /// been incomplete.
  private func counts() -> @Sendable (ApplicationRecord) -> Bool {
    let (schedule, beingWritten) = (schedule, monitor.pathsBeingWritten)
    return { schedule.counts($0, isBeingWritten: beingWritten.contains($0.propertyList)) }
  }
}
