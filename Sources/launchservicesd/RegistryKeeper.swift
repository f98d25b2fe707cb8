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
  /// Changes the registry in its place.
  typealias Apply = (_ removing: [String], _ installing: [ApplicationRecord]) -> Void

  let folders: [ApplicationFolder]
  let stateFile: StateFile<RegistryState>
  let cache: RecordCache
  let journal: Journal
  let apply: Apply
  /// A copy, which large rounds change. What changes the registry meanwhile is not lost.
  let copyRegistry: () -> Registry
  /// Puts the changed copy in the place of the registry.
  let replaceRegistry: (inout LargeRound.Successor) -> Void
  var state: RegistryState
  var known = KnownPropertyLists()
  var changesMeanwhile = ChangesMeanwhile<KnownPropertyLists>()
  /// What was read before the daemon was started, until it was looked at once.
  var cached: PropertyListTable?
  var watch: DirectoryWatch?
  var schedule = ReadingSchedule()
  /// Reads what is due; nil when nothing is.
  var reader: Task<Void, Never>?
  /// Is told that a round is over.
  var onRead: (() -> Void)?
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
    lookInterval: Int, journal: Journal, apply: @escaping Apply,
    copyRegistry: @escaping () -> Registry,
    replaceRegistry: @escaping (inout LargeRound.Successor) -> Void
  ) {
    self.folders = folders
    self.stateFile = stateFile
    self.cache = cache
    self.lookInterval = lookInterval
    self.journal = journal
    self.apply = apply
    self.copyRegistry = copyRegistry
    self.replaceRegistry = replaceRegistry
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

  var readings: PropertyListTable { known.readings }

  func change(_ body: @escaping (inout KnownPropertyLists) -> Void) {
    changesMeanwhile.make(body, to: &known)
  }

  func diagnostics(of path: String) -> [Diagnostic] { readings[path]?.diagnostics ?? [] }

  /// The one application whose executable the process runs.
  func application(running executable: ProcessDetails.Executable) -> BundleIdentifier? {
    known.application(running: executable)
  }
}

// MARK: - Beginning

extension RegistryKeeper {
  /// Watches first, then reads everything, so that no change falls between.
  func start() async {
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
    cached = await readings
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
