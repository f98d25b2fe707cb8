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
  /// The folders with the targets of the lists that are symbolic links: their watches, and the lists by the names of the
  /// targets.
  private var targets = LinkTargets()

  private struct LinkTargets {
    var watches: [String: (folder: FileIdentity, watch: FileWatch)] = [:]
    var links: [String: [String: [String]]] = [:]
  }
  /// Report each change of a file in a folder at once: its writer may end in the next millisecond.
  private var witnesses: [String: FileWatch] = [:]
  private var commands: ChoosingCommands?
  private var parent: ExitWatch?
  private var pause: Deadline?
  /// The time of the first change that was not checked, in microseconds.
  private var begun: UInt64?
  /// The changes that were not checked.
  private var observed = ObservedWrites()
  /// The last look at all processes, and when that was, in monotonic microseconds.
  private var processes = (ProcessLook(), at: UInt64(0))
  /// The time of the last check, in nanoseconds since 1970.
  private var checked: Int64 = 0
  private var waiting = Waiting()

  /// `xdg-settings` writes a file several times.
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
    watchWriters()
    // A command that has written nothing is forgotten after the next comparison.
    commands = ChoosingCommands { [weak self] in self?.changed() }
    // Changes from the time when no process was watching.
    check()
  }

  /// The events of a file behind a symbolic link come in the folder of the file only.
  private func watchTargets() {
    targets.links = [:]
    for list in task.guardedFolders.flatMap(task.guardedLinks) {
      guard let place = SymbolicLink.place(of: list), let end = place.lastIndex(of: "/") else {
        continue
      }
      let (folder, name) = (String(place[..<end]), String(place[place.index(after: end)...]))
      // Such a list is watched, and compared, at its own path.
      if DesktopTask.isGuarded(name), task.guardedFolders.contains(folder) { continue }
      targets.links[folder, default: [:]][name, default: []].append(list)
    }
    for (folder, known) in targets.watches
    where targets.links[folder] == nil || FileIdentity(path: folder + "/") != known.folder {
      targets.watches[folder] = nil
    }
    for folder in targets.links.keys where targets.watches[folder] == nil {
      guard let identity = FileIdentity(path: folder + "/") else { continue }
      let watch = try? FileWatch(
        entriesOf: folder + "/",
        where: { [weak self] name in
          // Temporary files of editors have longer names.
          self?.targets.links[folder]?.keys.contains(where: name.contains) ?? false
        },
        changed: { [weak self] events in
          self?.observe(events, in: folder)
          self?.changed()
        })
      targets.watches[folder] = watch.map { (identity, $0) }
    }
  }

  private func watchWriters() {
    for folder in task.guardedFolders where witnesses[folder] == nil {
      witnesses[folder] = try? FileWatch(entriesOf: folder, where: UserChoiceRule.mayBeList) {
        [weak self] events in
        self?.observe(events, in: folder)
        self?.changed()
      }
    }
  }

  /// Each event may be that of another writer, and a look at all processes takes some milliseconds.
  private func observe(_ events: [FileWatch.Event], in folder: String) {
    let links = targets.links[folder] ?? [:]
    let folders = task.guardedFolders + (links.isEmpty ? [] : [folder])
    let time = Time.microsecondsSinceBoot()
    guard observed.mayLook(at: Time.monotonicMicroseconds()) else {
      return observed.add(events, in: folder, at: time, links: links, nil) { _ in nil }
    }
    var look = ProcessLook(
      newestOf: folders, after: checked, processes.0, commands: commands?.seen ?? [])
    // The next write may follow at once.
    var lists: [String: ListContents] = [:]
    for case let name? in events.filter(\.isWritten).map(\.name) {
      for path in links[name] ?? (DesktopTask.isGuarded(name) ? ["\(folder)/\(name)"] : [])
      where lists[path] == nil {
        lists[path] = try? task.listContents(path)
      }
    }
    if Time.monotonicMicroseconds() - processes.at > Self.leastPause {
      look.lookAtAll(folders)
      processes = (look, Time.monotonicMicroseconds())
    }
    observed.add(events, in: folder, at: time, links: links, look.witness) { lists[$0] }
  }

  private static let leastPause: UInt64 = 50_000

  private func changed() {
    let now = Time.monotonicMicroseconds()
    if begun == nil { begun = now }
    guard now - (begun ?? now) < Self.longest else { return }
    pause = Deadline(after: observed.isFull ? .zero : Self.quiet) { [weak self] in self?.check() }
  }

  private func check() {
    pause = nil
    begun = nil
    watchTargets()
    watchWriters()
    commands?.watchFiles()
    // What they have written is seen before the comparison.
    let ended = commands?.seen.filter { !$0.isRunning } ?? []
    guard let check = compare() else { return }
    commands?.forget(ended)
    var retryAfter = check.retryAfter
    if commands?.seen.isEmpty == false {
      retryAfter = retryAfter == 0 ? Self.longest : min(retryAfter, Self.longest)
    }
    observed.keep(Set(check.failures.keys))
    processes = (ProcessLook(), at: 0)
    checked = Time.wallClockNanoseconds()
    let names = ApplicationNames(of: task)
    for record in check.records { tell(record, names) }
    if let (_, reason) = check.failures.min(by: { $0.key < $1.key }) {
      return wait(because: reason, isError: true, atMost: retryAfter)
    }
    waiting.end(task)
    guard retryAfter > 0, pause == nil else { return }
    pause = Deadline(after: .microseconds(retryAfter)) { [weak self] in self?.check() }
  }

  /// Nil when another process has the lock, or the state cannot be used: the comparison follows later.
  private func compare() -> GuardCheck? {
    let lock: FolderLock
    do throws(CommandFailure) {
      guard let free = try task.lockIfFree() else {
        wait(because: "\(task.lockFolder) is locked by \(task.lockOwner)")
        return nil
      }
      lock = free
    } catch {
      wait(because: error.reason, isError: true)
      return nil
    }
    defer { withExtendedLifetime(lock) {} }
    for watch in witnesses.values { watch.reportEvents() }
    for target in targets.watches.values { target.watch.reportEvents() }
    do throws(CommandFailure) {
      return try task.checkDefaults(policy, observed)
    } catch {
      wait(because: error.reason, isError: true)
      return nil
    }
  }

  /// Tries again until the lock is free, and what was seen is recorded. That is kept meanwhile, within the limits of
  /// `ObservedWrites`.
  /// - Parameter limit: the time after which other lists need a comparison, in microseconds; 0 for no limit.
  private func wait(because reason: String, isError: Bool = false, atMost limit: UInt64 = 0) {
    let now = Time.monotonicMicroseconds()
    if waiting.begin(at: now, isError: isError) {
      task.output.complain("changes of the default applications are recorded later: \(reason)")
    }
    // The next event is not one of those before.
    begun = nil
    let delay = limit > 0 ? min(limit, UInt64(waiting.delay)) : UInt64(waiting.delay)
    pause = Deadline(after: .microseconds(delay)) { [weak self] in self?.check() }
  }

  private func tell(_ record: GuardRecord, _ names: ApplicationNames) {
    let sentences = record.sentences(names.name(of:))
    guard !sentences.isEmpty else { return }
    for sentence in sentences { task.output.complain("change \(record.number): \(sentence)") }
    DesktopNotification.show(
      "Default applications have changed",
      (sentences.prefix(3) + [record.advice]).joined(separator: " "))
  }
}

extension GuardRecord {
  /// What happened, for people.
  /// - Parameter name: of the application with a desktop file ID.
  func sentences(_ name: (String) -> String) -> [String] {
    let (taken, failed) = (reasons, failedReasons)
    var sentences = changes.compactMap { change -> String? in
      let isTakenBack = taken[change] != nil
      let isFailed = failed[change] != nil
      let end =
        isTakenBack
        ? takenBackEnd : isFailed ? ", which could not be taken back." : "."
      if let application = change.newDefault {
        return "\(name(application)) became the default for \(change.type)\(end)"
      }
      if change.group == AssociationChange.defaults, change.applicationsAfter.isEmpty {
        return "The default for \(change.type) was removed\(end)"
      }
      return isTakenBack || isFailed
        ? "The \(change.group.lowercased()) of \(change.type) changed\(end)" : nil
    }
    if isTooLarge == true {
      sentences.append(
        "\(file) is too large to compare: the guard does not see its changes.")
    }
    if let kind = replacedBy {
      let end =
        isPutBack == true || isReplacedSince == true
        ? takenBackEnd
        : failures != nil ? ", which could not be taken back." : "."
      sentences.append("\(file) was replaced by \(kind)\(end)")
    }
    return sentences
  }

  private var takenBackEnd: String {
    isReplacedSince == true ? ", which was replaced since." : ", which was taken back."
  }

  /// What the user can do.
  var advice: String {
    let all = "'lsregister guard changes' prints all changes"
    if isPutBack == true { return "\(all), the list is as it was before." }
    if replacedBy != nil, isReplacedSince == true { return "\(all)." }
    return takenBack.isEmpty
      ? "\(all), 'lsregister guard undo \(number)' undoes this one."
      : "\(all), 'lsregister guard keep \(number)' makes this one again."
  }
}

/// A comparison that waits for the lock, or until the state can be used.
struct Waiting {
  /// In monotonic microseconds; nil when no comparison waits.
  private var since: UInt64?
  private var isSaid = false
  /// The number of errors in a row.
  private var errors = 0

  /// How long the lock may be taken before the log says so, in microseconds: an export takes it for a moment.
  private static let patience: UInt64 = 2_000_000
  /// Until the next try, in microseconds.
  private static let (leastDelay, mostDelay): (UInt64, UInt64) = (500_000, 64_000_000)

  /// - Parameters:
  ///   - now: in monotonic microseconds.
  ///   - isError: false when another process has the lock for the moment.
  /// - Returns: whether the log is to say that now.
  mutating func begin(at now: UInt64, isError: Bool) -> Bool {
    errors = isError ? errors + 1 : 0
    let first = since ?? now
    since = first
    guard !isSaid, isError || now - first >= Self.patience else { return false }
    isSaid = true
    return true
  }

  /// The time until the next try, in microseconds: twice as long after each error.
  var delay: UInt64 { min(Self.mostDelay, Self.leastDelay << UInt64(min(errors, 10))) }

  mutating func end(_ task: DesktopTask) {
    if isSaid { task.output.complain("the guard compares the default applications again") }
    self = Self()
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
