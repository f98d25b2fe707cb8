internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import Events
internal import Glibc
internal import Host
internal import LaunchRules

/// Watches the user's `mimeapps.list` files for the guard of defaults.
final class DefaultsWatch {
  private let task: DesktopTask
  private let policy: DefaultsGuardPolicy
  private var watch: DirectoryWatch?
  /// The watches of the targets of symbolic links, by path.
  private var targets: [String: FileWatch] = [:]
  private var parent: ExitWatch?
  private var pause: Deadline?
  /// The time of the first change that was not checked, in microseconds.
  private var begun: UInt64?
  private var processes: [String] = []

  /// `xdg-settings` writes a file several times; the changes count as one.
  private static let quiet = Duration.milliseconds(500)
  private static let longest: UInt64 = 5_000_000

  /// Returns never: the process ends with its parent, the daemon.
  static func run(_ task: DesktopTask, _ policy: DefaultsGuardPolicy) -> Never {
    let watch = DefaultsWatch(task, policy)
    do throws(Errno) {
      let parent = getppid()
      watch.parent = try ExitWatch(pid: parent) { _ in exit(ExitCode.success.rawValue) }
      guard parent == getppid() else { exit(ExitCode.success.rawValue) }
      try watch.begin()
    } catch {
      task.output.complain("the default applications cannot be watched: \(error)")
      exit(ExitCode.failed.rawValue)
    }
    return withExtendedLifetime(watch) { MainLoop.run() }
  }

  private init(_ task: DesktopTask, _ policy: DefaultsGuardPolicy) {
    self.task = task
    self.policy = policy
  }

  private func begin() throws(Errno) {
    watch = try DirectoryWatch(folders: task.guardedFolders) { [weak self] change in
      let isList = change.applications.contains { $0.hasSuffix(".list") }
      if isList || !change.folders.isEmpty { self?.changed() }
    }
    watchTargets()
    // Changes from the time when no process was watching.
    check()
  }

  /// A change of a file behind a symbolic link does not change the folder of the link.
  private func watchTargets() {
    var paths: Set<String> = []
    for folder in task.guardedFolders {
      for name in (try? FolderListing(of: folder, isSorted: false))?.links ?? []
      where name.hasSuffix(".list") {
        if let target = SymbolicLink.end(of: folder + "/" + name) { paths.insert(target) }
      }
    }
    targets = targets.filter { paths.contains($0.key) }
    for path in paths where targets[path] == nil {
      targets[path] = try? FileWatch(path, seesWrites: true) { [weak self] in self?.changed() }
    }
  }

  private func changed() {
    let now = Time.monotonicMicroseconds()
    if begun == nil {
      begun = now
      processes = ProcessWitness.processes(in: task.guardedFolders)
    }
    guard now - (begun ?? now) < Self.longest else { return }
    pause = Deadline(after: Self.quiet) { [weak self] in self?.check() }
  }

  private func check() {
    pause = nil
    begun = nil
    watchTargets()
    do throws(CommandFailure) {
      var records: [GuardRecord] = []
      try task.alone { () throws(CommandFailure) in
        records = try task.checkDefaults(policy, processes: processes)
      }
      for record in records { tell(record) }
    } catch {
      task.output.complain(error)
    }
    processes = []
  }

  private func tell(_ record: GuardRecord) {
    let sentences = record.changes.compactMap { change -> String? in
      guard let application = change.newDefault else { return nil }
      let name = DesktopApplication(identifier: application)?.name ?? application
      return record.reason(for: change) == nil
        ? "\(name) became the default for \(change.type)."
        : "\(name) became the default for \(change.type), which was taken back."
    }
    guard !sentences.isEmpty else { return }
    for sentence in sentences { task.output.complain("change \(record.number): \(sentence)") }
    let advice =
      "'lsregister guard changes' prints all changes, 'lsregister guard undo \(record.number)' undoes"
      + " this one."
    DesktopNotification.show(
      "Default applications have changed",
      (sentences.prefix(3) + [advice]).joined(separator: " "))
  }
}

/// Finds the processes that may have changed a file just now.
enum ProcessWitness {
  /// - Parameter folders: of the changed files.
  /// - Returns: a text for each process.
  static func processes(in folders: [String]) -> [String] {
    let now = Time.microsecondsSinceBoot()
    let own = getpid()
    let processes = ProcessDetails.ofThisUser().filter { $0.pid != own && $0.startedAt <= now }
    return MimeAppsWriter.texts(
      of: processes.map { process in
        let hasFileOpen = process.openFiles.contains { path in
          folders.contains { path.hasPrefix($0 + "/") } && path.contains("mimeapps.list")
        }
        return MimeAppsWriter(
          name: process.name, pid: process.pid, hasFileOpen: hasFileOpen,
          milliseconds: (now - process.startedAt) / 1000)
      })
  }
}

/// A notification of the desktop, without an answer.
enum DesktopNotification {
  /// Does nothing without a notification service.
  static func show(_ summary: String, _ body: String) {
    guard let connection = try? Connection() else { return }
    _ = try? connection.callAndWait(
      NotificationMessages.notify(to: NotificationMessages.service, summary, body),
      milliseconds: 5000)
  }
}
