internal import ApplicationFolders
internal import Host
internal import LaunchRules
internal import PropertyLists

// What is due is read, elsewhere, and changes the registry.

extension RegistryKeeper {
  /// Reads these property lists, and those in these folders, again unless they are what they were, and
  /// changes the registry once.
  func look(at paths: some Sequence<String>, in folders: Set<String> = []) {
    schedule.add(paths, in: folders)
    guard reader == nil else { return }
    reader = Task { [weak self] in
      while let self, let round = schedule.next() {
        let (contents, targets) = await Self.list(
          self.folders.filter { round.folders.contains($0.path) }, and: round.paths, journal)
        follow(targets)
        for path in contents.unusable where complained.insert(path).inserted {
          journal.warning(
            "the name of an application is not UTF-8, so it is ignored: rename it", ["path": path])
        }
        let listed = contents.propertyLists
        let isFirst = round.paths.isEmpty && readings.count == 0
        await read(
          isFirst ? listed : Array(round.paths.union(listed).union(readPaths(round.folders))))
      }
      self?.reader = nil
      // Nobody who waits for the registry waits for this.
      Task { await self?.locateExecutables() }
    }
  }

  /// The property lists in these folders that were read before.
  func readPaths(_ folders: Set<String>) -> [String] {
    guard !folders.isEmpty else { return [] }
    let prefixes = folders.map { $0 + "/" }
    return readings.records.map(\.propertyList).filter { path in
      prefixes.contains { path.hasPrefix($0) }
    }
  }

  /// - Parameter paths: each once.
  func read(_ paths: [String]) async {
    // Not the whole table, which would be copied when something changes in it.
    let first = cached
    cached = nil
    let known = first?.readings ?? PropertyListTable(paths.compactMap { readings[$0] })
    // Nearly all of what the cache holds is still current.
    async let loaded = Self.load(known, into: first?.registry)
    var pace = ReadingPace(beginningAt: Time.monotonicMicroseconds())
    let orders = orders(for: paths)
    let result = await ParallelReading.read(orders, known: known) { [onReading] read, due in
      if pace.tells(read, of: due, at: Time.monotonicMicroseconds()) {
        onReading?(read, due)
      }
    }
    let hasForgotten = first != nil && known.count != result.current.count
    if first != nil {
      readings = hasForgotten ? PropertyListTable(result.current) : known
      for record in result.current where record.holdsApplication { executables.insert(record) }
      report(result.current.flatMap(\.diagnostics).sorted { $0.file < $1.file })
    }
    let forgotten = hasForgotten ? known.records.filter { readings[like: $0] == nil } : []
    let registry = await loaded
    // Asked after reading: who began to write before has broken what was read.
    let beingWritten = watch?.pathsBeingWritten ?? []
    let fresh = result.read.filter {
      schedule.counts($0, isBeingWritten: beingWritten.contains($0.propertyList))
    }
    if !result.read.isEmpty || hasForgotten { writeCacheSoon() }
    take(fresh, after: registry, without: forgotten.map(\.propertyList))
  }

  /// A registry with these, made elsewhere; nil when there is none to begin with.
  private nonisolated static func load(
    _ readings: PropertyListTable, into registry: Registry?
  ) async -> Registry? {
    await Task.detached {
      var registry = registry
      registry?.change(
        removing: [], installing: readings.records.filter(\.holdsApplication))
      return registry
    }.value
  }

  /// Where they lie takes longer to find out than all the rest, and is seldom asked at once.
  func locateExecutables() async {
    let (waiting, turn) = (executables.waiting, executables.turn)
    guard waiting.count > 100 else { return }
    let located = await Task.detached { ExecutableIndex.locate(waiting) }.value
    executables.take(located, insteadOf: waiting.count, in: turn)
  }

  func orders(for paths: [String]) -> [PropertyListOrder] {
    let registrations = Dictionary(state.registrations.map { ($0.path, $0) }) { $1 }
    let systemFolders = folders.filter(\.isSystem).map { $0.path + "/" }
    return paths.map { path in
      let registration = registrations[path]
      return PropertyListOrder(
        path: path, isSystem: systemFolders.contains { path.hasPrefix($0) },
        definitions: registration?.definitions ?? [:], registeredAt: registration?.registeredAt)
    }
  }

  /// The property lists that are there.
  private nonisolated static func list(
    _ folders: [ApplicationFolder], and paths: Set<String>, _ journal: Journal
  ) async -> (contents: ApplicationFolder.Contents, targets: [String: String]) {
    await Task.detached {
      var all = ApplicationFolder.Contents()
      for folder in folders {
        do throws(FileError) {
          let contents = try folder.contents()
          all.propertyLists += contents.propertyLists
          all.links += contents.links
          all.unusable += contents.unusable
        } catch {
          journal.warning("an application folder cannot be read", ["reason": "\(error)"])
        }
      }
      return (all, targets(of: paths.union(all.links)))
    }.value
  }

  /// - Parameters:
  ///   - loaded: replaces the registry before; nil for the one there is.
  ///   - gone: property lists of which the cache knew.
  func take(
    _ fresh: [ApplicationRecord], after loaded: Registry? = nil, without gone: [String] = []
  ) {
    let change = ReadingChange(
      fresh, before: readings, isRegistered: registeredPaths.contains, isMissing: Self.isMissing)
    readings.reserveCapacity(readings.count + change.known.count)
    for path in change.forgotten { readings.remove(path) }
    for record in change.known { readings.insert(record) }
    for record in change.installing { executables.insert(record) }
    report(change.diagnostics)
    let removing = gone + change.removing
    guard !removing.isEmpty || !change.installing.isEmpty || loaded != nil else { return }
    apply(loaded, removing, change.installing)
  }

  func report(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      switch diagnostic.severity {
      case .error: journal.error(diagnostic.logLine)
      case .warning: journal.warning(diagnostic.logLine)
      case .note: journal.info(diagnostic.logLine)
      }
    }
  }

  /// Nothing is there; a link that leads in a circle is something.
  static func isMissing(_ path: String) -> Bool {
    do throws(FileError) {
      _ = try FileStamp(path: path)
      return false
    } catch {
      return error.errno == .noSuchFile || error.errno == .notAFolder
    }
  }
}
