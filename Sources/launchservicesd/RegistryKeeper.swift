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
  /// Changes of the registry go through here.
  typealias Apply = (_ removing: [String], _ installing: [ApplicationRecord]) -> Void

  private let folders: [ApplicationFolder]
  private let stateFile: StateFile<RegistryState>
  private let cache: RecordCache
  private let journal: Journal
  private let apply: Apply
  private var state: RegistryState
  private var readings = PropertyListTable()
  /// What was read before the daemon was started, until it was looked at once.
  private var cached: PropertyListTable?
  private var executables = ExecutableIndex()
  private var watch: DirectoryWatch?
  /// Property lists that may have changed.
  private var due: Set<String> = []
  /// Reads what is due; nil when nothing is.
  private var reader: Task<Void, Never>?
  /// Property lists of which something became known while others were read.
  private var overtaken: Set<String> = []
  /// Set while changes wait to be written to the cache.
  private var writesCache: Deadline?

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
  func start() async {
    let registered = state.registrations.map { Self.watchedFolder(of: $0.path) }
    do throws(Errno) {
      watch = try DirectoryWatch(folders: folders.map(\.path) + registered) { [weak self] change in
        self?.changed(change)
      }
      for (folder, error) in watch?.unwatched ?? [:] {
        journal.warning(
          "changes in a folder go unnoticed", ["folder": folder, "reason": "\(error)"])
      }
    } catch {
      journal.warning(
        "changes of application folders go unnoticed until: lsregister reload",
        ["reason": "\(error)"])
    }
    cached = await Self.read(cache)
    look(at: allPropertyLists())
    await settle()
  }

  func reload() async {
    let listed = allPropertyLists()
    look(at: listed.union(readings.records.map(\.propertyList)))
    await settle()
  }

  /// Returns when nothing is due any more.
  func settle() async {
    while let reader { await reader.value }
  }

  private var registeredPaths: [String] { state.registrations.map(\.path) }

  private func allPropertyLists() -> Set<String> {
    Set(folders.flatMap(propertyLists)).union(registeredPaths)
  }

  private func propertyLists(in folder: ApplicationFolder) -> [String] {
    do throws(FileError) {
      return try folder.propertyLists()
    } catch {
      journal.warning("an application folder cannot be read", ["reason": "\(error)"])
      return []
    }
  }

  private func changed(_ change: DirectoryWatch.Change) {
    var paths: Set<String> = []
    for folder in folders where change.folders.contains(folder.path) {
      paths.formUnion(propertyLists(in: folder))
    }
    if !change.folders.isEmpty {
      for record in readings.records where isWithin(record.propertyList, change.folders) {
        paths.insert(record.propertyList)
      }
    }
    for application in change.applications {
      let folder = Self.parent(of: application)
      if folders.contains(where: { $0.path == folder }) {
        paths.formUnion(ApplicationFolder.propertyLists(at: application))
      }
      let places = [application] + PropertyListPath.places(in: application)
      paths.formUnion(places.filter { readings[$0] != nil })
      paths.formUnion(
        registeredPaths.filter { $0 == application || $0.hasPrefix(application + "/") })
    }
    look(at: paths)
  }

  private func isWithin(_ path: String, _ folders: Set<String>) -> Bool {
    folders.contains { path.hasPrefix($0 + "/") }
  }

  /// Reads these property lists again, unless they are what they were, and changes the registry once.
  private func look(at paths: Set<String>) {
    due.formUnion(paths)
    guard reader == nil, !due.isEmpty else { return }
    reader = Task { [weak self] in
      while let self, !due.isEmpty {
        let paths = due
        due = []
        let known = cached ?? readings
        cached = nil
        await read(paths, known: known)
      }
      self?.reader = nil
    }
  }

  private func read(_ paths: Set<String>, known: PropertyListTable) async {
    overtaken = []
    let result = await ParallelReading.read(orders(for: paths), known: known)
    // Known from the cache only.
    var fresh = result.current.filter { readings[like: $0] != $0 } + result.read
    // Asked after reading: a file that was broken because somebody is writing it will come again,
    // and its last good version stays.
    let beingWritten = watch?.pathsBeingWritten ?? []
    fresh.removeAll {
      !$0.holdsApplication && beingWritten.contains($0.propertyList)
        || !overtaken.isEmpty && overtaken.contains($0.propertyList)
    }
    due.formUnion(overtaken.intersection(paths))
    if !result.read.isEmpty || known.count != result.current.count { writeCacheSoon() }
    take(fresh)
  }

  private func orders(for paths: Set<String>) -> [PropertyListOrder] {
    let registrations = Dictionary(state.registrations.map { ($0.path, $0) }) { $1 }
    return paths.map { path in
      let registration = registrations[path]
      return PropertyListOrder(
        path: path, isSystem: folders.contains { $0.isSystem && path.hasPrefix($0.path + "/") },
        definitions: registration?.definitions ?? [:], registeredAt: registration?.registeredAt)
    }
  }

  private func take(_ fresh: [ApplicationRecord]) {
    var removing: [String] = []
    var installing: [ApplicationRecord] = []
    var changed: [Diagnostic] = []
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
    guard !removing.isEmpty || !installing.isEmpty else { return }
    apply(removing, installing)
  }

  private func report(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      switch diagnostic.severity {
      case .error: journal.error(diagnostic.logLine)
      case .warning: journal.warning(diagnostic.logLine)
      case .note: journal.info(diagnostic.logLine)
      }
    }
  }

  /// Nothing is there; a link that leads in a circle is something.
  private static func isMissing(_ path: String) -> Bool {
    do throws(FileError) {
      _ = try FileStamp(path: path)
      return false
    } catch {
      return error.errno == .noSuchFile || error.errno == .notAFolder
    }
  }

  /// The folder whose watch notices changes of a registered property list.
  private static func watchedFolder(of propertyList: String) -> String {
    parent(
      of: BundleLocation(propertyList: propertyList).layout == .loose
        ? propertyList : BundleLocation(propertyList: propertyList).folder)
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

// MARK: - What the user asks for

extension RegistryKeeper {
  enum Refusal: Error {
    case invalidBundle(String)
    case notRegistered(String)
    case notPermitted(String)
    case notStored(FileError)
    case limitExceeded(String)
  }

  /// Registers what was read a moment ago for good, also when it was registered before.
  func register(
    _ found: PropertyListReader.Found<ApplicationReading>, definitions: [String: String]
  ) throws(Refusal) -> InstalledApplication {
    var reading: ApplicationReading
    do throws(PropertyListPath.NotFound) {
      reading = try found.get()
    } catch {
      throw .invalidBundle(error.description)
    }
    let propertyList = reading.path
    let order = PropertyListOrder(
      path: propertyList, definitions: definitions, registeredAt: Time.wallClockNanoseconds())
    reading.application?.installedAt = order.registeredAt ?? 0
    guard let application = reading.application else {
      report(reading.diagnostics)
      let errors = reading.diagnostics.filter { $0.severity == .error }
      throw .invalidBundle(errors.map(\.description).joined(separator: "\n"))
    }
    var state = state
    state.registrations.removeAll { $0.path == propertyList }
    guard state.registrations.count < registrationLimit else {
      throw .limitExceeded(
        "\(registrationLimit) applications are registered by their paths already, which is the limit"
          + " MaximumRegistrations of the settings")
    }
    state.registrations.append(
      .init(path: propertyList, definitions: definitions, registeredAt: order.registeredAt ?? 0))
    try store(state)
    watch?.watch(Self.watchedFolder(of: propertyList))
    overtaken.insert(propertyList)
    take([order.record(of: reading)])
    // It was not watched while it was read.
    look(at: [propertyList])
    return application
  }

  /// - Parameter copies: the property lists of the application that are registered.
  func unregister(_ identifier: BundleIdentifier, copies: [String]) throws(Refusal) {
    let registered = copies.filter { registeredPaths.contains($0) }
    guard !registered.isEmpty else {
      guard let place = copies.first else {
        throw .notRegistered("no application \(identifier) is registered")
      }
      throw .notPermitted(
        "\(identifier) was found in an application folder; remove \(place) to unregister it")
    }
    var state = state
    state.registrations.removeAll { registered.contains($0.path) }
    try store(state)
    overtaken.formUnion(registered)
    for path in registered { readings.remove(path) }
    apply(registered, [])
    // One that lies in an application folder as well is still an application.
    look(at: Set(registered.filter { path in folders.contains { path.hasPrefix($0.path + "/") } }))
  }

  func bind(_ scheme: URLScheme, to identifier: BundleIdentifier?) throws(Refusal) {
    var state = state
    state.bindings[scheme.text] = identifier?.text
    try store(state)
  }

  /// Stored first: what could not be stored is refused rather than forgotten at the next start.
  private func store(_ new: RegistryState) throws(Refusal) {
    do throws(FileError) {
      try stateFile.write(new)
      state = new
    } catch {
      throw .notStored(error)
    }
  }
}

// MARK: - The cache

extension RegistryKeeper {
  private nonisolated static func read(_ cache: RecordCache) async -> PropertyListTable {
    await Task.detached { cache.read() ?? PropertyListTable() }.value
  }

  private func writeCacheSoon() {
    guard writesCache == nil else { return }
    writesCache = Deadline(after: .seconds(10)) { [weak self] in self?.writeCache() }
  }

  private func writeCache() {
    writesCache = nil
    let (cache, journal, records) = (cache, journal, Array(readings.records))
    Task.detached { Self.write(records, to: cache, journal) }
  }

  /// The daemon ends: what would be written soon is written now.
  func stop() {
    guard writesCache != nil else { return }
    writesCache = nil
    Self.write(Array(readings.records), to: cache, journal)
  }

  private nonisolated static func write(
    _ records: [ApplicationRecord], to cache: RecordCache, _ journal: Journal
  ) {
    do throws(FileError) {
      try cache.write(records)
    } catch {
      journal.info("the next start reads every property list", ["reason": "\(error)"])
    }
  }
}
