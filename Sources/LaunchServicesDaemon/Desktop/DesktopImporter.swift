internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import PropertyLists

/// Reads the applications of the desktop, at the start and after changes of desktop entries and defaults.
///
/// A separate program uses GIO, so that the daemon need not link to it. At most one process runs at a time.
/// The list is kept in the cache, so that the start need not wait for the program.
final class DesktopImporter {
  private let cacheFile: String
  private let program: DesktopProgram
  private let folders: DesktopFolders
  private let links: DesktopLinks
  private let journal: Journal
  private var watch: DesktopFolderWatch?
  /// The watch of the programs of entries, and what it watches.
  private var programs: (watch: ProgramWatch, places: [[String]])?
  /// Whether entries or defaults may have changed since the last process was started.
  private var isDue = false
  private var reader: Task<Void, Never>?
  /// The list that was read last, as bytes.
  private var bytes: [UInt8] = []
  private var hasStarted = false

  enum Event {
    /// All applications of the desktop, the first time and after changes.
    case applications([ApplicationRecord])
    /// A reading has ended, also one that found nothing new.
    case end
  }

  var onEvent: (Event) -> Void = { _ in }

  /// A process that runs longer is killed.
  private static let longest: Duration = .seconds(10)
  private nonisolated static let largestList = 16 << 20

  init(
    cacheFile: String, _ program: DesktopProgram, _ folders: UserFolders, _ journal: Journal
  ) {
    self.cacheFile = cacheFile
    self.program = program
    self.folders = DesktopFolders(folders)
    links = DesktopLinks(self.folders, journal)
    self.journal = journal
    links.onChange = { [weak self] in self?.readSoon() }
  }

  /// Starts to watch, then reads, so that no change is missed. Returns when there is a list: the list of the
  /// cache, or else the first one.
  func start() async {
    hasStarted = true
    beginWatch()
    let cached = await Task.detached { [cacheFile] in
      let bytes = (try? RegularFile.readOwn(cacheFile, atMost: Self.largestList)) ?? []
      return Self.records(of: bytes).map { (bytes, $0) }
    }.value
    guard let cached else { return await reload() }
    bytes = cached.0
    onEvent(.applications(cached.1.applications))
    readSoon()
  }

  func stop() {
    watch = nil
    links.stopWatching()
    programs = nil
    isDue = false
  }

  /// Reads the list again, and returns when it is in use.
  func reload() async {
    guard hasStarted else { return }
    readSoon()
    await reader?.value
  }

  private func beginWatch() {
    do throws(Errno) {
      watch = try DesktopFolderWatch(folders) { [weak self] in self?.readSoon() }
      links.startWatching()
    } catch {
      journal.warning(
        "the folders of desktop entries cannot be watched; changes of desktop entries are noticed at the"
          + " next start or with lsregister reload",
        ["reason": "\(error)"])
    }
  }

  private func readSoon() {
    isDue = true
    guard reader == nil else { return }
    reader = Task { [weak self] in
      while let self, isDue {
        isDue = false
        await watch?.update()
        await links.update()
        await read()
        onEvent(.end)
      }
      self?.reader = nil
    }
  }

  private func read() async {
    let folders = folders
    let hasEntries = await Task.detached { Self.hasEntries(folders) }.value
    guard let read = hasEntries ? await runProgram() : Self.emptyList else { return }
    guard read != bytes || programs == nil else { return }
    let records = await Task.detached(operation: { Self.records(of: read) }).value
    guard let records else {
      return journal.warning(
        "the list of desktop applications cannot be read", ["size": "\(read.count)"])
    }
    watch(records)
    guard read != bytes else { return }
    bytes = read
    for (entry, other) in records.twins.sorted(by: { $0.key < $1.key }) {
      journal.warning(
        "a desktop entry is not registered: its ID differs from that of another entry in case only",
        ["entry": entry, "registered": other])
    }
    onEvent(.applications(records.applications))
    await store(read)
  }

  /// Watches the programs of the entries: GIO leaves out an entry whose program is missing.
  private func watch(_ records: Records) {
    let places = [records.programs, records.programFolders]
    guard watch != nil, programs?.places != places,
      let watch = try? ProgramWatch(
        programs: records.programs, folders: records.programFolders,
        changed: { [weak self] in self?.programsChanged() })
    else { return }
    programs = (watch, places)
    // What changed before the watch began is read now.
    isDue = true
  }

  private func programsChanged() {
    // The nearest folder of a program may be another one now.
    programs = nil
    readSoon()
  }

  private func store(_ bytes: [UInt8]) async {
    let (cacheFile, journal) = (cacheFile, journal)
    await Task.detached {
      do throws(FileError) {
        try AtomicFile.write(bytes, to: cacheFile, surviving: .processes)
      } catch {
        journal.info(
          "the list of desktop applications cannot be stored; the next start reads the desktop entries again first",
          ["reason": error.description])
      }
    }.value
  }

  /// Without entries the program need not run.
  private nonisolated static func hasEntries(_ folders: DesktopFolders) -> Bool {
    folders.applications.contains { folder in
      (try? FolderListing(of: folder, isSorted: false))?.names.isEmpty == false
    }
  }

  private nonisolated static let emptyList = OwnPropertyList.encode(DesktopApplicationList())

  private struct Records: Sendable {
    let applications: [ApplicationRecord]
    /// See `DesktopApplicationList.twins`.
    let twins: [String: String]
    let programs: [String]
    let programFolders: [String]
  }

  /// Nil when the bytes are no list.
  private nonisolated static func records(of bytes: [UInt8]) -> Records? {
    guard !bytes.isEmpty,
      let list = try? OwnPropertyList.decode(DesktopApplicationList.self, from: bytes)
    else { return nil }
    return Records(
      applications: list.applications.map { ApplicationRecord($0) }, twins: list.twins,
      programs: list.programs, programFolders: list.programFolders)
  }
}

// MARK: - The program

extension DesktopImporter {
  /// Nil when the program fails: the earlier list stays in use.
  private func runProgram() async -> [UInt8]? {
    guard let answer = MemoryFile() else { return nil }
    guard let options = links.options else {
      journal.warning("the desktop applications may not be current: a file system does not answer")
      return nil
    }
    guard let launch = program.launch(["list"] + options, output: answer) else {
      journal.info(
        "desktop applications are not registered: the program is neither in PATH nor beside the daemon",
        ["program": DesktopBridge.program])
      // Without the program nothing could be delivered.
      return Self.emptyList
    }
    let end = await run(launch)
    guard end == .exited(code: 0) else {
      if end == .signalled(number: SIGKILL) { links.programHung() }
      journal.warning(
        "the desktop applications may not be current", ["program": end.map { "\($0)" } ?? ""])
      return nil
    }
    return answer.bytes(atMost: Self.largestList)
  }

  private func run(_ launch: Launch) async -> ProcessEnd? {
    do throws(SpawnError) {
      return try await ChildProcess.run(launch, atMost: Self.longest)
    } catch {
      journal.warning("the desktop applications cannot be read", ["reason": error.description])
      return nil
    }
  }
}
