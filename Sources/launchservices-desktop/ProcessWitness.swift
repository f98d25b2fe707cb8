internal import DesktopEntries
internal import Glibc
internal import Host
internal import LaunchRules

/// What the kernel knows about the processes that may have changed a `mimeapps.list` file just now.
struct ProcessWitness {
  /// A text for each process that can have changed the file, most likely first; empty when none is known.
  private(set) var texts: [String] = []
  /// Programs by which the user may have made the change.
  private(set) var choosers: Set<UserChoiceRule.Chooser> = []
  /// The processes of such programs that were found.
  private var found: Set<Int32> = []
  /// The time of the change that was seen, in microseconds since boot.
  private var changed: UInt64 = 0

  /// Nothing is known.
  init() {}

  /// Looks at the newest processes now: a command may end in the next millisecond. Call at the events of a change.
  /// - Parameters:
  ///   - folders: of the changed files.
  ///   - last: the time after which a change is a new one, in nanoseconds since 1970.
  ///   - earlier: the last look at all processes; its choosers count if they still run.
  init(newestOf folders: [String], after last: Int64, _ earlier: ProcessWitness) {
    let (now, wallClock) = (Time.microsecondsSinceBoot(), Time.wallClockNanoseconds())
    var choosers: [Int32: (chooser: UserChoiceRule.Chooser?, startedAt: UInt64)] = [:]
    // The newest process ends first.
    for pid in ProcessNumbers.latest(Self.mostLatest) { choosers[pid] = Self.chooser(pid) }
    for pid in earlier.found where choosers[pid] == nil { choosers[pid] = Self.chooser(pid) }
    let age = Self.ageOfLastChange(in: folders, after: last, at: wallClock)
    // A process that started later has not changed the file.
    changed = now - min(now, age)
    texts = earlier.texts
    add(choosers)
  }

  /// Looks at all processes.
  mutating func lookAtAll(_ folders: [String]) {
    let own = getpid()
    var writers: [MimeAppsWriter] = []
    let numbers = ProcessDetails.numbers().sorted(by: >)
    var choosers: [Int32: (chooser: UserChoiceRule.Chooser?, startedAt: UInt64)] = [:]
    for pid in numbers where pid != own && !found.contains(pid) {
      choosers[pid] = Self.chooser(pid)
    }
    add(choosers)
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

  private mutating func add(
    _ processes: [Int32: (chooser: UserChoiceRule.Chooser?, startedAt: UInt64)]
  ) {
    for (pid, process) in processes where process.startedAt <= changed {
      guard let chooser = process.chooser else { continue }
      choosers.insert(chooser)
      found.insert(pid)
    }
  }

  /// Maximum number of process numbers that are tried before the list of all processes is read.
  private static let mostLatest = 32

  /// Reads the name of the executable file only, of most processes. Nil for these.
  private static func chooser(_ pid: Int32) -> (
    chooser: UserChoiceRule.Chooser?, startedAt: UInt64
  )? {
    guard let path = SymbolicLink.target(of: "/proc/\(pid)/exe"), UserChoiceRule.mayChoose(path),
      let process = ProcessDetails(of: pid), process.user == geteuid()
    else { return nil }
    return (UserChoiceRule.chooser(process.choosing), process.startedAt)
  }

  /// Adds what a later look at the processes has shown.
  mutating func add(_ later: ProcessWitness) {
    choosers.formUnion(later.choosers)
    found.formUnion(later.found)
    texts += later.texts.filter { !texts.contains($0) }
  }

  /// In microseconds; 0 for a change that was not dated in the last seconds, and for one that is under way.
  private static func ageOfLastChange(
    in folders: [String], after last: Int64, at now: Int64
  ) -> UInt64 {
    var age: Int64?
    for folder in folders {
      for name in (try? FolderListing(of: folder, isSorted: false))?.names ?? []
      where UserChoiceRule.mayBeList(name) {
        // An earlier change has had other writers.
        guard let stamp = try? FileStamp(path: "\(folder)/\(name)"), stamp.changed > last else {
          continue
        }
        age = min(age ?? .max, max(0, now - stamp.changed))
      }
    }
    let most: Int64 = 5_000_000_000
    return age.map { $0 < most ? UInt64($0 / 1000) : 0 } ?? 0
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
