internal import Host
internal import LaunchRules

/// The processes of applications, with lookups by several keys.
struct ProcessTable {
  struct Entry {
    var pid: Int32
    /// Nil when the daemon did not start the process.
    var process: (any LaunchedProcess)?
    /// Detects a reused process number.
    var startTime: UInt64?
    /// The process that has checked in with this daemon or a previous one, if its number differs from `pid`.
    var successor: SupervisedProcess.Successor?
    /// The session that was created for the process; nil when the daemon did not start the process.
    var session: Int32?
    var unit: String?
    var freezer = UnitFreezer()
    /// The launch token, until the process presents it.
    var token: String?
    /// Time of the start or first appearance, in monotonic microseconds.
    var since: UInt64
    var isSuspended = false
    /// Whether the process has ended while its exit status is requested from systemd.
    var hasEnded = false
    /// Whether the process was running when SIGTERM was sent.
    var wasTerminated = false
    /// Fires after the suspension delay in the background.
    var suspensionTimer: Deadline?
    /// Sends SIGKILL to a process that ignores SIGTERM.
    var killTimer: Deadline?

    var snapshot: SupervisedProcess {
      SupervisedProcess(
        pid: pid, startTime: startTime, successor: successor, session: session, unit: unit,
        since: since,
        isOurs: process != nil, isSuspended: isSuspended, hasEnded: hasEnded,
        wasTerminated: wasTerminated)
    }
  }

  private var entries: [InstanceID: Entry] = [:]
  private var byToken: [String: InstanceID] = [:]
  private var byPID: [Int32: InstanceID] = [:]
  private var byUnit: [String: InstanceID] = [:]
  private var sessions = StartedSessions()

  subscript(_ id: InstanceID) -> Entry? { entries[id] }
  var all: some Collection<Entry> { entries.values }

  mutating func add(_ id: InstanceID, _ entry: Entry) {
    entries[id] = entry
    byPID[entry.pid] = id
    if let token = entry.token { byToken[token] = id }
    if let unit = entry.unit { byUnit[unit] = id }
    if let session = entry.session {
      sessions.began(
        id, session: session, startTime: session == entry.pid ? entry.startTime : nil)
    }
  }

  mutating func change(_ id: InstanceID, _ body: (inout Entry) -> Void) {
    guard var entry = entries[id] else { return }
    body(&entry)
    entries[id] = entry
  }

  mutating func remove(_ id: InstanceID) -> Entry? {
    guard let entry = entries.removeValue(forKey: id) else { return nil }
    if byPID[entry.pid] == id { byPID[entry.pid] = nil }
    if let token = entry.token { byToken[token] = nil }
    if let unit = entry.unit { byUnit[unit] = nil }
    if let session = entry.session { sessions.ended(id, session: session) }
    return entry
  }

  /// Continues the instance in another process.
  mutating func replace(_ id: InstanceID, by process: any LaunchedProcess) {
    guard let old = entries[id]?.pid else { return }
    if byPID[old] == id { byPID[old] = nil }
    byPID[process.pid] = id
    change(id) {
      $0.pid = process.pid
      $0.process = process
      $0.startTime = process.startTime
      $0.successor = nil
      $0.hasEnded = false
      // Both are of the process before.
      $0.killTimer = nil
      $0.wasTerminated = false
    }
  }

  mutating func remember(
    session number: Int32, startTime: UInt64, of application: BundleIdentifier
  ) {
    // No instance has the ordinal 0, so the session belongs to an instance that has ended.
    let instance = InstanceID(InstanceSlot(application), ordinal: 0)
    sessions.began(instance, session: number, startTime: startTime)
    sessions.ended(instance, session: number)
  }

  // MARK: Queries

  func instance(ofToken token: String) -> InstanceID? { byToken[token] }

  mutating func take(token: String) -> InstanceID? {
    guard let id = byToken.removeValue(forKey: token) else { return nil }
    change(id) { $0.token = nil }
    return id
  }

  func instance(running pid: Int32) -> InstanceID? { byPID[pid] }

  func instance(ofProcess process: (pid: Int32, startTime: UInt64)) -> InstanceID? {
    guard let id = byPID[process.pid], entries[id]?.startTime == process.startTime else {
      return nil
    }
    return id
  }

  /// The instance that is the process or an ancestor of it. A unit of Launch Services contains only
  /// descendants of its main process.
  func instance(startedAs process: ProcessAncestry) -> InstanceID? {
    instance(inTreeOf: process) ?? process.unit.flatMap { byUnit[$0] }
  }

  private func instance(inTreeOf process: ProcessAncestry) -> InstanceID? {
    for (pid, startTime) in process.lineage {
      if let id = byPID[pid], let entry = entries[id], entry.process != nil,
        entry.startTime == startTime
      {
        return id
      }
    }
    return sessions.instance(of: process.session).flatMap { entries[$0] == nil ? nil : $0 }
  }

  func application(startedAs process: ProcessAncestry) -> BundleIdentifier? {
    (instance(startedAs: process) ?? sessions.instance(of: process.session))?.slot.application
  }

  func isInTree(_ process: ProcessAncestry) -> Bool {
    instance(inTreeOf: process) != nil || sessions.instance(of: process.session) != nil
  }
}
