internal import ApplicationFolders
internal import Host
internal import LaunchRules
internal import PropertyLists

// What is due is read, elsewhere, and changes the registry.

extension RegistryKeeper {
  /// Reads these property lists, and those in these folders and of these applications, again unless they are
  /// what they were, and changes the registry once.
  func look(
    at paths: some Sequence<String>, in folders: Set<String> = [],
    of applications: Set<String> = []
  ) {
    schedule.add(paths, in: folders, of: applications)
    guard reader == nil else { return }
    reader = Task { [weak self] in
      while let self, let round = schedule.next() {
        let found = await find(round)
        follow(found.targets)
        for path in found.unusable where complained.insert(path).inserted {
          journal.warning(
            "the name of an application is not UTF-8, so it is ignored: rename it", ["path": path])
        }
        await read(found.paths)
        onRead?()
      }
      self?.reader = nil
      // Nobody who waits for the registry waits for this.
      Task { await self?.locateExecutables() }
    }
  }

  /// What a round has to look at.
  private struct Found: Sendable {
    /// Property lists, each once, also such as are gone.
    var paths: [String] = []
    /// Where those lead that are links.
    var targets: [String: String] = [:]
    /// With names that are not UTF-8.
    var unusable: [String] = []
  }

  private func find(_ round: ReadingSchedule.Round) async -> Found {
    var round = round
    let registered = registeredPaths
    if round.applications.count <= Self.mostInPlace {
      round.paths.formUnion(
        Self.propertyLists(
          of: round.applications, in: folders, linked, registered: registered, readings))
      round.applications = []
    }
    // Not for nothing: it is copied when something changes in it.
    let needsReadings = !round.folders.isEmpty || !round.applications.isEmpty
    return await Self.find(
      round, in: folders, linked, registered: registered,
      needsReadings ? readings : PropertyListTable(), journal)
  }

  private nonisolated static func find(
    _ round: ReadingSchedule.Round, in folders: [ApplicationFolder], _ linked: LinkedPropertyLists,
    registered: [String], _ readings: PropertyListTable, _ journal: Journal
  ) async -> Found {
    await Task.detached {
      var found = Found()
      let changed = round.paths.union(
        propertyLists(of: round.applications, in: folders, linked, registered: registered, readings)
      )
      var links = changed
      for folder in folders where round.folders.contains(folder.path) {
        do throws(FileError) {
          let contents = try folder.contents()
          found.paths += contents.propertyLists
          found.unusable += contents.unusable
          links.formUnion(contents.links)
        } catch {
          journal.warning("an application folder cannot be read", ["reason": "\(error)"])
        }
      }
      found.targets = targets(of: links)
      let known = readPaths(round.folders, readings)
      if !known.isEmpty || !changed.isEmpty {
        found.paths = Array(changed.union(found.paths).union(known))
      }
      return found
    }.value
  }

  /// The property lists in these folders that were read before.
  private nonisolated static func readPaths(
    _ folders: Set<String>, _ readings: PropertyListTable
  ) -> [String] {
    guard !folders.isEmpty else { return [] }
    let prefixes = folders.map { $0 + "/" }
    return readings.records.map(\.propertyList).filter { path in
      prefixes.contains { path.hasPrefix($0) }
    }
  }

  /// - Parameter paths: each once.
  func read(_ paths: [String]) async {
    let first = cached
    cached = nil
    // Of a few not the whole table, which would be copied when something changes in it.
    let before =
      first
      ?? (paths.count > Self.mostInPlace
        ? readings : PropertyListTable(paths.compactMap { readings[$0] }))
    let copy = first.map { _ in copyRegistry() }
    // Nearly all of what the cache holds is still current.
    async let loaded = Self.load(before, into: copy)
    var pace = ReadingPace(beginningAt: Time.monotonicMicroseconds())
    let result = await ParallelReading.read(await orders(for: paths), known: before) {
      [onReading] read, due in
      if pace.tells(read, of: due, at: Time.monotonicMicroseconds()) {
        onReading?(read, due)
      }
    }
    let registry = await loaded
    let hasForgotten = first != nil && before.count != result.current.count
    if !result.read.isEmpty || hasForgotten { writeCacheSoon() }
    // Asked after reading: who began to write before has broken what was read.
    let beingWritten = watch?.pathsBeingWritten ?? []
    let counts: @Sendable (ApplicationRecord) -> Bool = { [schedule] in
      schedule.counts($0, isBeingWritten: beingWritten.contains($0.propertyList))
    }
    if let copy, let registry {
      var known = KnownPropertyLists(readings: hasForgotten ? .init(result.current) : before)
      for record in result.current where record.holdsApplication {
        known.executables.insert(record)
      }
      Self.report(result.current.flatMap(\.diagnostics).sorted { $0.file < $1.file }, journal)
      let forgotten = hasForgotten ? before.records.filter { known.readings[like: $0] == nil } : []
      await take(
        LargeRound(
          read: result.read, counts: counts, gone: forgotten.map(\.propertyList),
          registered: Set(registeredPaths), isFirst: true),
        changing: known, registry, of: copy)
    } else if result.read.count > Self.mostInPlace {
      let round = LargeRound(
        read: result.read, counts: counts, registered: Set(registeredPaths))
      let copy = copyRegistry()
      await take(round, changing: known, copy, of: copy)
    } else {
      take(result.read.filter(counts))
    }
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
    let start = known
    guard start.executables.isFarBehind(start.readings) else { return }
    let located = await Task.detached {
      var executables = start.executables
      executables.catchUp(start.readings)
      return executables
    }.value
    known.executables.take(located, since: start.executables)
  }

  private func orders(for paths: [String]) async -> [PropertyListOrder] {
    let (registrations, folders) = (state.registrations, folders)
    return await Task.detached {
      let registrations = Dictionary(registrations.map { ($0.path, $0) }) { $1 }
      let systemFolders = folders.filter(\.isSystem).map { $0.path + "/" }
      return paths.map { path in
        let registration = registrations[path]
        return PropertyListOrder(
          path: path, isSystem: systemFolders.contains { path.hasPrefix($0) },
          definitions: registration?.definitions ?? [:], registeredAt: registration?.registeredAt)
      }
    }.value
  }

  /// Takes in what was read of a few property lists.
  func take(_ fresh: [ApplicationRecord]) {
    let change = ReadingChange(
      fresh, before: readings, isRegistered: registeredPaths.contains, isMissing: Self.isMissing)
    self.change { $0.take(change) }
    Self.report(change.diagnostics, journal)
    guard !change.removing.isEmpty || !change.installing.isEmpty else { return }
    apply(change.removing, change.installing)
  }

  nonisolated static func report(_ diagnostics: [Diagnostic], _ journal: Journal) {
    for diagnostic in diagnostics {
      switch diagnostic.severity {
      case .error: journal.error(diagnostic.logLine)
      case .warning: journal.warning(diagnostic.logLine)
      case .note: journal.info(diagnostic.logLine)
      }
    }
  }

  /// Nothing is there; a link that leads in a circle is something.
  nonisolated static func isMissing(_ path: String) -> Bool {
    do throws(FileError) {
      _ = try FileStamp(path: path)
      return false
    } catch {
      return error.errno == .noSuchFile || error.errno == .notAFolder
    }
  }
}
