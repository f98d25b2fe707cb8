internal import ApplicationFolders
internal import Host
internal import LaunchRules
internal import PropertyLists

/// Keeps the registry equal to what lies on disk and to what the user asked for.
///
/// Property lists are read elsewhere, and the registry changes when all that were due have been read: until
/// then questions are answered from what it held before.
final class RegistryKeeper {
  /// How many applications may be registered by their paths.
  var registrationLimit = Int.max
  /// Changes of the registry go through here. Where there is a `loaded` one, it comes first and replaces the
  /// registry as a whole.
  typealias Apply = (
    _ loaded: Registry?, _ removing: [String], _ installing: [ApplicationRecord]
  ) -> Void

  let folders: [ApplicationFolder]
  let stateFile: StateFile<RegistryState>
  let cache: RecordCache
  let journal: Journal
  let apply: Apply
  var state: RegistryState
  var readings = PropertyListTable()
  /// What was read before the daemon was started, and a registry that holds nothing yet; until both were
  /// looked at once.
  var cached: (readings: PropertyListTable, registry: Registry)?
  var executables = ExecutableIndex()
  var watch: DirectoryWatch?
  /// Property lists that may have changed.
  var due: Set<String> = []
  /// Folders whose property lists may be others.
  var dueFolders: Set<String> = []
  /// Reads what is due; nil when nothing is.
  var reader: Task<Void, Never>?
  /// Property lists of which something became known while others were read.
  var overtaken: Set<String> = []
  var nextLook: Deadline?
  var linked = LinkedPropertyLists()
  /// Folders of which it was said that they are not watched, and applications with unusable names.
  var complained: Set<String> = []
  /// Set while changes wait to be written to the cache.
  var writesCache: Deadline?

  init(
    folders: [ApplicationFolder], stateFile: StateFile<RegistryState>, cache: RecordCache,
    journal: Journal, apply: @escaping Apply
  ) {
    self.folders = folders
    self.stateFile = stateFile
    self.cache = cache
    self.journal = journal
    self.apply = apply
    state = stateFile.read(journal) ?? RegistryState()
  }

  /// The user's choices, as stored.
  var bindings: [URLScheme: BundleIdentifier] {
    var bindings: [URLScheme: BundleIdentifier] = [:]
    for (scheme, identifier) in state.bindings {
      if let scheme = URLScheme(scheme), let identifier = BundleIdentifier(identifier) {
        bindings[scheme] = identifier
      }
    }
    return bindings
  }

  func diagnostics(of path: String) -> [Diagnostic] { readings[path]?.diagnostics ?? [] }

  /// The one application whose executable the process runs.
  func application(running executable: ProcessDetails.Executable) -> BundleIdentifier? {
    executables.application(running: executable, readings)
  }
}

// MARK: - Reading

extension RegistryKeeper {
  /// Watches first, then reads everything, so that no change falls between.
  /// - Parameter registry: holds nothing yet.
  func start(filling registry: Registry) async {
    let cache = cache
    async let readings = Self.read(cache)
    let registered = state.registrations.map { Self.watchedFolder(of: $0.path) }
    do throws(Errno) {
      watch = try DirectoryWatch(folders: folders.map(\.path) + registered) { [weak self] change in
        self?.changed(change)
      }
    } catch {
      journal.warning(
        "application folders cannot be watched, and are looked at once a minute",
        ["reason": "\(error)"])
    }
    cached = (await readings, registry)
    await reload()
    lookAtUnwatched()
  }

  func reload() async {
    look(at: registeredPaths, in: Set(folders.map(\.path)))
    await settle()
  }

  /// What cannot be watched is looked at now and then.
  func lookAtUnwatched() {
    let unwatched = watch?.unwatched ?? [:]
    for (folder, error) in unwatched.sorted(by: { $0.key < $1.key })
    where complained.insert(folder).inserted {
      journal.warning(
        "a folder cannot be watched as a whole, and is looked at once a minute",
        ["folder": folder, "reason": "\(error)"])
    }
    nextLook = Deadline(after: .seconds(60)) { [weak self] in
      guard let self else { return }
      if watch?.unwatched.isEmpty != true {
        look(at: registeredPaths, in: Set(folders.map(\.path)))
      }
      lookAtUnwatched()
    }
  }

  /// Returns when nothing is due any more.
  func settle() async {
    while let reader { await reader.value }
  }

  var registeredPaths: [String] { state.registrations.map(\.path) }

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

  func changed(_ change: DirectoryWatch.Change) {
    var paths: Set<String> = []
    for application in change.applications {
      let folder = Self.parent(of: application)
      if folders.contains(where: { $0.path == folder }) {
        paths.formUnion(ApplicationFolder.propertyLists(at: application))
      }
      paths.formUnion(linked.leading(to: application))
      let places = [application] + PropertyListPath.places(in: application)
      paths.formUnion(places.filter { readings[$0] != nil })
      paths.formUnion(
        registeredPaths.filter { $0 == application || $0.hasPrefix(application + "/") })
    }
    look(at: paths, in: change.folders)
  }

  /// Reads these property lists, and those in these folders, again unless they are what they were, and
  /// changes the registry once.
  func look(at paths: some Sequence<String>, in folders: Set<String> = []) {
    due.formUnion(paths)
    dueFolders.formUnion(folders)
    guard reader == nil else { return }
    reader = Task { [weak self] in
      while let self, !due.isEmpty || !dueFolders.isEmpty {
        let (paths, within) = (due, dueFolders)
        (due, dueFolders) = ([], [])
        let (contents, targets) = await Self.list(
          self.folders.filter { within.contains($0.path) }, and: paths, journal)
        follow(targets)
        for path in contents.unusable where complained.insert(path).inserted {
          journal.warning(
            "the name of an application is not UTF-8, so it is ignored: rename it", ["path": path])
        }
        let listed = contents.propertyLists
        let isFirst = paths.isEmpty && readings.count == 0
        await read(isFirst ? listed : Array(paths.union(listed).union(readPaths(within))))
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
    overtaken = []
    // Not the whole table, which would be copied when something changes in it.
    let first = cached
    cached = nil
    let known = first?.readings ?? PropertyListTable(paths.compactMap { readings[$0] })
    // Nearly all of what the cache holds is still current.
    async let loaded = Self.load(known, into: first?.registry)
    let result = await ParallelReading.read(orders(for: paths), known: known)
    let hasForgotten = first != nil && known.count != result.current.count
    if first != nil {
      readings = hasForgotten ? PropertyListTable(result.current) : known
      for record in result.current where record.holdsApplication { executables.insert(record) }
      report(result.current.flatMap(\.diagnostics).sorted { $0.file < $1.file })
    }
    let forgotten = hasForgotten ? known.records.filter { readings[like: $0] == nil } : []
    var fresh = result.read
    // Asked after reading: a file that was broken because somebody is writing it will come again,
    // and its last good version stays.
    let beingWritten = watch?.pathsBeingWritten ?? []
    fresh.removeAll {
      !$0.holdsApplication && beingWritten.contains($0.propertyList)
        || !overtaken.isEmpty && overtaken.contains($0.propertyList)
    }
    if !overtaken.isEmpty { due.formUnion(overtaken.intersection(paths)) }
    if !result.read.isEmpty || hasForgotten { writeCacheSoon() }
    take(fresh, after: await loaded, without: forgotten.map(\.propertyList))
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

  func take(
    _ fresh: [ApplicationRecord], after loaded: Registry? = nil, without gone: [String] = []
  ) {
    var removing = gone
    var installing: [ApplicationRecord] = []
    var changed: [Diagnostic] = []
    readings.reserveCapacity(readings.count + fresh.count)
    for record in fresh {
      if record.holdsApplication {
        executables.insert(record)
        installing.append(record)
      } else {
        removing.append(record.propertyList)
      }
      let isGone = !record.wasReadable && Self.isMissing(record.propertyList)
      let old = readings[like: record]
      if isGone && !registeredPaths.contains(record.propertyList) {
        readings.remove(record.propertyList)
      } else {
        readings.insert(record)
      }
      if !isGone { changed += record.diagnostics == old?.diagnostics ? [] : record.diagnostics }
    }
    report(changed.sorted { $0.file < $1.file })
    guard !removing.isEmpty || !installing.isEmpty || loaded != nil else { return }
    apply(loaded, removing, installing)
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

  /// The folder whose watch notices changes of a registered property list.
  static func watchedFolder(of propertyList: String) -> String {
    parent(
      of: BundleLocation(propertyList: propertyList).layout == .loose
        ? propertyList : BundleLocation(propertyList: propertyList).folder)
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
