internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Exports the registered applications as desktop entries, if the user has enabled the export.
///
/// A separate program uses GIO, so that the daemon need not link to it. At most one process runs at a time,
/// once per series of changes of the registry or of the desktop's own entries.
final class DesktopExporter {
  /// The stored state.
  nonisolated struct State: Codable, Sendable {
    var isOn = false
  }

  private let stateFile: StateFile<State>
  private let program: DesktopProgram
  private let folders: UserFolders
  private let journal: Journal
  private var state: State
  private var watch: DirectoryWatch?
  /// The deadline that ends a series of changes; nil between series.
  private var soon: Deadline?
  private var process: ChildProcess?
  private var limit: Deadline?
  /// Whether applications or entries have changed since the process was started.
  private var isDue = false
  private var hasStarted = false

  private static let quiet: Duration = .milliseconds(200)
  /// A process that runs longer is killed.
  private static let longest: Duration = .seconds(60)

  init(
    _ stateFile: StateFile<State>, _ program: DesktopProgram, _ folders: UserFolders,
    _ journal: Journal
  ) {
    self.stateFile = stateFile
    self.program = program
    self.folders = folders
    self.journal = journal
    state = stateFile.read(journal) ?? State()
  }

  var isOn: Bool { state.isOn }

  /// Stores the state again after the file was removed.
  func storeAgain() throws(FileError) { try stateFile.write(state) }

  /// Starts to export. Call when the daemon answers calls.
  func start() {
    hasStarted = true
    if isOn { begin() }
  }

  func turn(_ isOn: Bool) throws(FileError) {
    guard isOn != state.isOn else { return }
    try stateFile.write(State(isOn: isOn))
    state.isOn = isOn
    if isOn {
      begin()
    } else {
      watch = nil
      soon = nil
      isDue = false
      // Otherwise the process would write the removed entries again.
      process?.signalGroup(SIGKILL)
    }
  }

  func isTool(_ pid: Int32) -> Bool { process?.pid == pid }

  func registryChanged() {
    if isOn, hasStarted { exportSoon() }
  }

  /// Starts to watch, then exports, so that no change is missed.
  private func begin() {
    do throws(Errno) {
      watch = try DirectoryWatch(
        folders: ([folders.dataHome] + folders.dataDirs).map { $0 + "/applications" }
      ) { [weak self] change in
        let isEntry = change.applications.contains { $0.hasSuffix(".desktop") }
        if isEntry || !change.folders.isEmpty { self?.exportSoon() }
      }
    } catch {
      journal.warning(
        "the folders of desktop entries cannot be watched; changes of desktop entries are noticed"
          + " when a registered application changes",
        ["reason": "\(error)"])
    }
    exportSoon()
  }

  private func exportSoon() {
    isDue = true
    guard process == nil, soon == nil else { return }
    soon = Deadline(after: Self.quiet) { [weak self] in self?.export() }
  }

  private func export() {
    soon = nil
    guard isDue else { return }
    isDue = false
    guard let launch = program.launch(["export"]) else {
      return journal.warning(
        "the desktop entries cannot be updated: the program is neither in PATH nor beside the daemon",
        ["program": DesktopBridge.program])
    }
    do throws(SpawnError) {
      let process = try ChildProcess(launch) { [weak self] end in self?.ended(end) }
      self.process = process
      limit = Deadline(after: Self.longest) { process.signalGroup(SIGKILL) }
    } catch {
      journal.warning("the desktop entries cannot be updated", ["reason": error.description])
    }
  }

  private func ended(_ end: ProcessEnd) {
    process = nil
    limit = nil
    // The program has logged the reason.
    if isOn, end != .exited(code: 0) {
      journal.warning("the desktop entries may be out of date", ["program": "\(end)"])
    }
    if isDue { exportSoon() }
  }
}
