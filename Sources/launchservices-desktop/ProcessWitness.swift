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

  /// Nothing is known.
  init() {}

  /// Looks at the processes now. Call at the first event of a change.
  /// - Parameter folders: of the changed files.
  init(of folders: [String]) {
    let (now, wallClock) = (Time.microsecondsSinceBoot(), Time.wallClockNanoseconds())
    let age = Self.ageOfLastChange(in: folders, at: wallClock)
    // A process that started later has not changed the file.
    let changed = now - min(now, age)
    let own = getpid()
    var writers: [MimeAppsWriter] = []
    // The newest process ends first.
    for pid in ProcessDetails.numbers().sorted(by: >) where pid != own {
      guard let process = ProcessDetails(of: pid), process.user == geteuid(),
        process.startedAt <= changed
      else { continue }
      if let chooser = UserChoiceRule.chooser(process.choosing) { choosers.insert(chooser) }
      // The kernel rounds the start of a process down.
      guard process.startedAt + ProcessDetails.tick <= changed else { continue }
      let hasFileOpen = process.openFiles.contains { path in
        folders.contains {
          path == $0 || path.hasPrefix($0 + "/") && Self.mayBeList(path.dropFirst($0.count + 1))
        }
      }
      writers.append(
        MimeAppsWriter(
          name: process.name, pid: process.pid, hasFileOpen: hasFileOpen,
          milliseconds: (changed - process.startedAt) / 1000))
    }
    texts = MimeAppsWriter.texts(of: writers)
  }

  /// Whether a file is a list of associations, or may become one: programs write a file of another name, and rename
  /// that file.
  static func mayBeList(_ name: some StringProtocol) -> Bool {
    name.contains("mimeapps.list") || name.contains("defaults.list")
  }

  /// In microseconds; 0 for a change that was not dated in the last seconds.
  private static func ageOfLastChange(in folders: [String], at now: Int64) -> UInt64 {
    var age: Int64?
    for folder in folders {
      for name in (try? FolderListing(of: folder, isSorted: false))?.names ?? []
      where mayBeList(name) {
        guard let stamp = try? FileStamp(path: "\(folder)/\(name)"), stamp.changed <= now else {
          continue
        }
        age = min(age ?? .max, now - stamp.changed)
      }
    }
    let most: Int64 = 5_000_000_000
    return age.map { $0 < most ? UInt64($0 / 1000) : 0 } ?? 0
  }
}

extension ProcessDetails {
  /// What `UserChoiceRule` needs to know.
  var choosing: UserChoiceRule.Process {
    .init(
      executable: executable?.path ?? "", name: name,
      isOfTerminal: hasTerminal && (pid == session || parent == session))
  }
}
