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
  var schedule = ReadingSchedule()
  /// Reads what is due; nil when nothing is.
  var reader: Task<Void, Never>?
  /// Is told how many property lists of those that are new or changed have been read, now and then while
  /// many are.
  var onReading: ((_ read: Int, _ due: Int) -> Void)?
  /// How often folders that cannot be watched are looked at, in seconds.
  let lookInterval: Int
  var nextLook: Deadline?
  var linked = LinkedPropertyLists()
  /// Folders of which it was said that they are not watched, and applications with unusable names.
  var complained: Set<String> = []
  /// Set while changes wait to be written to the cache.
  var writesCache: Deadline?

  init(
    folders: [ApplicationFolder], stateFile: StateFile<RegistryState>, cache: RecordCache,
    lookInterval: Int, journal: Journal, apply: @escaping Apply
  ) {
    self.folders = folders
    self.stateFile = stateFile
    self.cache = cache
    self.lookInterval = lookInterval
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

// MARK: - Beginning

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
        "application folders cannot be watched, and are looked at every \(lookInterval) s",
        ["reason": "\(error)"])
    }
    cached = (await readings, registry)
    await reload()
    lookAtUnwatched()
  }

  /// Reads everything again.
  func reload() async {
    lookAtAll()
    await settle()
  }

  func lookAtAll() { look(at: registeredPaths, in: Set(folders.map(\.path))) }

  /// Returns when nothing is due any more.
  func settle() async {
    while let reader { await reader.value }
  }

  var registeredPaths: [String] { state.registrations.map(\.path) }
}
