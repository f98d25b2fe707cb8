internal import DesktopEntries
internal import Glibc
internal import Host
internal import LaunchRules

/// What is known about the processes that may have made one write of a list.
struct ProcessWitness {
  /// A text for each process that can have changed the file, most likely first; empty when none is known.
  var texts: [String] = []
  /// Programs by which the user may have made the change.
  var choosers: Set<UserChoiceRule.Chooser> = []

  /// Adds what a later look at the processes has shown.
  mutating func add(_ later: ProcessWitness) {
    choosers.formUnion(later.choosers)
    texts += later.texts.filter { !texts.contains($0) }
  }
}

/// What the kernel knows about the processes that may have changed a `mimeapps.list` file just now.
struct ProcessLook {
  private var texts: [String] = []
  /// Programs by which the user may have made a change, by process number.
  private var found: [Int32: Candidate] = [:]
  /// Commands that were seen before, and may have ended.
  private var commands: [Candidate] = []
  /// The time of the look, in microseconds since boot.
  private let now: UInt64
  /// The time of the look, in nanoseconds since 1970.
  private let wallClock: Int64
  /// The time after which a change is a new one, in nanoseconds since 1970.
  private let last: Int64
  /// The time of the last change in the folders, in microseconds since boot.
  private var changed: UInt64 = 0

  /// A process of a program by which the user may have made a change.
  struct Candidate: Hashable {
    let pid: Int32
    let chooser: UserChoiceRule.Chooser
    /// In microseconds since boot.
    let startedAt: UInt64

    var isRunning: Bool {
      ProcessDetails(of: pid).map { $0.startedAt == startedAt && !$0.hasEnded } ?? false
    }
  }

  /// Nothing is known.
  init() { (now, wallClock, last) = (0, 0, 0) }

  /// Looks at the newest processes now: a command may end in the next millisecond. Call at the events of a change.
  /// - Parameters:
  ///   - folders: of the changed files.
  ///   - last: the time after which a change is a new one, in nanoseconds since 1970.
  ///   - earlier: the last look at all processes; its choosers count if they still run.
  ///   - commands: those that were seen before, which count also when they have ended.
  init(
    newestOf folders: [String], after last: Int64, _ earlier: ProcessLook, commands: [Candidate]
  ) {
    (now, wallClock) = (Time.microsecondsSinceBoot(), Time.wallClockNanoseconds())
    self.last = last
    self.commands = commands
    // The newest process ends first.
    for pid in ProcessNumbers.latest(Self.mostLatest) { found[pid] = Self.candidate(pid) }
    for pid in earlier.found.keys where found[pid] == nil { found[pid] = Self.candidate(pid) }
    changed = timeOfLastChange(of: Self.lists(in: folders))
    texts = earlier.texts
  }

  /// Looks at all processes.
  mutating func lookAtAll(_ folders: [String]) {
    let own = getpid()
    var writers: [MimeAppsWriter] = []
    let numbers = ProcessDetails.numbers().sorted(by: >)
    for pid in numbers where pid != own && found[pid] == nil { found[pid] = Self.candidate(pid) }
    for pid in numbers where pid != own {
      // The kernel rounds the start of a process down.
      guard let process = ProcessDetails(of: pid), process.user == geteuid(),
        process.startedAt + ProcessDetails.tick <= changed
      else { continue }
      writers.append(
        MimeAppsWriter(
          name: process.name, pid: process.pid, hasFileOpen: process.hasFileOpen(in: folders),
          milliseconds: (changed - process.startedAt) / 1000))
    }
    texts = MimeAppsWriter.texts(of: writers)
  }

  /// What is known about the last write of the file at `path`: a process that started later has not changed the file.
  func witness(of path: String) -> ProcessWitness {
    let changed = timeOfLastChange(of: [path])
    let choosers = (found.values + commands).filter { $0.startedAt <= changed }.map(\.chooser)
    return ProcessWitness(texts: texts, choosers: Set(choosers))
  }

  /// Maximum number of process numbers that are tried before the list of all processes is read.
  private static let mostLatest = 128

  /// The commands among the newest processes that count also when they have ended.
  static func newestCommands() -> [Candidate] {
    ProcessNumbers.latest(mostLatest).compactMap(candidate).filter(\.chooser.countsAfterEnd)
  }

  /// Reads the name of the executable file only, of most processes. Nil for these.
  private static func candidate(_ pid: Int32) -> Candidate? {
    guard let path = SymbolicLink.target(of: "/proc/\(pid)/exe"), UserChoiceRule.mayChoose(path),
      let process = ProcessDetails(of: pid), process.user == geteuid(),
      let chooser = UserChoiceRule.chooser(process.choosing)
    else { return nil }
    return Candidate(pid: pid, chooser: chooser, startedAt: process.startedAt)
  }

  private static func lists(in folders: [String]) -> [String] {
    folders.flatMap { folder in
      ((try? FolderListing(of: folder, isSorted: false))?.names ?? [])
        .filter(UserChoiceRule.mayBeList).map { "\(folder)/\($0)" }
    }
  }

  /// In microseconds since boot; the present for a change that was not dated in the last seconds, and for one that is under
  /// way.
  private func timeOfLastChange(of files: [String]) -> UInt64 {
    // An earlier change has had other writers.
    let ages = files.compactMap { try? FileStamp(path: $0) }.filter { $0.changed > last }
      .map { max(0, wallClock - $0.changed) }
    let most: Int64 = 5_000_000_000
    let age = ages.min().map { $0 < most ? UInt64($0 / 1000) : 0 } ?? 0
    return now - min(now, age)
  }
}

extension ProcessDetails {
  /// Whether this process or its parent leads the session of a terminal.
  var isOfTerminal: Bool { hasTerminal && (pid == session || parent == session) }

  /// What `UserChoiceRule` needs to know.
  fileprivate var choosing: UserChoiceRule.Process {
    // The kernel ends each argument with a zero byte.
    let arguments = Array(RunningProgram.commandLine(of: pid).dropLast())
    let program = executable?.path ?? ""
    return .init(
      executable: program, arguments: arguments,
      script: UserChoiceRule.scriptPath(in: arguments, of: program).flatMap(Self.fileOfRoot),
      isOfTerminal: isOfTerminal, hasListOpen: isOfTerminal && hasListOpen)
  }

  private var hasListOpen: Bool {
    openFiles.contains { UserChoiceRule.mayBeList($0.split(separator: "/").last ?? "") }
  }

  /// Whether a guarded folder, or a file in one that may be a list, is open.
  fileprivate func hasFileOpen(in folders: [String]) -> Bool {
    openFiles.contains { path in
      folders.contains {
        path == $0
          || path.hasPrefix($0 + "/")
            && UserChoiceRule.mayBeList(path.dropFirst($0.count + 1))
      }
    }
  }

  /// The path without symbolic links; nil for a file that another user than root may change.
  private static func fileOfRoot(_ path: String) -> String? {
    var status = stat()
    guard let path = SymbolicLink.resolved(path), unsafe lstat(path, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG, status.st_uid == 0, status.st_mode & 0o022 == 0
    else { return nil }
    return path
  }
}
