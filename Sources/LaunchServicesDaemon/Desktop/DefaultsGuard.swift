internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Keeps a process running that guards the user's default applications, if the user wants that.
///
/// A separate program reads and writes the user's files with GIO, so that the daemon need not link to it. The process
/// ends with the daemon.
final class DefaultsGuard {
  /// The stored state.
  nonisolated struct State: Codable, Sendable {
    var policy = DefaultsGuardPolicy.off
  }

  private let stateFile: StateFile<State>
  private let program: DesktopProgram
  private let journal: Journal
  private var state: State
  private var process: ChildProcess?
  /// The number of the last start: the end of an earlier process is expected.
  private var starts = 0
  private var pace = RepairPace()
  /// The start of the next process.
  private var next: Deadline?
  private var hasStarted = false

  init(_ stateFile: StateFile<State>, _ program: DesktopProgram, _ journal: Journal) {
    self.stateFile = stateFile
    self.program = program
    self.journal = journal
    state = stateFile.read(journal) ?? State()
  }

  var policy: DefaultsGuardPolicy { state.policy }

  /// Stores the state again after the file was removed.
  func storeAgain() throws(FileError) { try stateFile.write(state) }

  /// Starts to guard. Call when the daemon answers calls.
  func start() {
    hasStarted = true
    restart()
  }

  func stop() {
    hasStarted = false
    restart()
  }

  func turn(_ policy: DefaultsGuardPolicy) throws(FileError) {
    guard policy != state.policy else { return }
    try stateFile.write(State(policy: policy))
    state.policy = policy
    restart()
  }

  /// Ends the process, and starts one with the present policy.
  private func restart() {
    next = nil
    process?.signal(SIGTERM)
    process = nil
    starts += 1
    let number = starts
    guard hasStarted, policy != .off else { return }
    guard let launch = program.launch(["guard", "watch", policy.rawValue]) else {
      return journal.warning(
        "the default applications are not guarded: the program is neither in PATH nor beside the daemon",
        ["program": DesktopBridge.program])
    }
    do throws(SpawnError) {
      process = try ChildProcess(launch) { [weak self] end in self?.ended(number, end) }
    } catch {
      journal.warning("the default applications are not guarded", ["reason": error.description])
    }
  }

  private func ended(_ number: Int, _ end: ProcessEnd) {
    guard number == starts else { return }
    process = nil
    let pause = pace.next(at: Time.monotonicMicroseconds())
    journal.warning(
      "the process that guards the default applications has ended, and is started again",
      ["program": "\(end)", "pause-ms": "\(pause / 1000)"])
    next = Deadline(after: .microseconds(pause)) { [weak self] in self?.restart() }
  }
}
