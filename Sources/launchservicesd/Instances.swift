internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

/// The processes of applications: those that were started, and those that came by themselves.
final class Instances {
  struct Instance {
    var pid: Int32
    /// Nil when it came by itself.
    var process: ChildProcess?
    /// Of the process, so that a process number that was used again is not believed.
    var startTime: UInt64?
    /// The number of the session that was begun for it; nil when it came by itself.
    var session: Int32?
    /// The systemd unit it was started as; nil for a child, and when it came by itself.
    var unit: String?
    /// Of the unit.
    var freezer = UnitFreezer()
    /// The token that was not shown yet.
    var token: String?
    /// Set by its check-in.
    var connection: String?
    var objectPath = Contract.applicationPath
    /// Its direct connection, where it is spoken to on that.
    var direct: String?
    /// Set while the bus is awaited to say why that has gone.
    var silence: Deadline?
    /// Set while it is spoken to by this interface: it owns its bus name, and has not checked in.
    var named: FreedesktopApplication?
    /// What the desktop bridge was given last.
    var bridged: [String] = []
    /// It gets documents as open files: it is in a sandbox, or wants it so.
    var wantsDescriptors = false
    /// When it was started or came, in monotonic microseconds.
    var since: UInt64
    var watchdog: Deadline?
    /// Set while it waits in the background to be suspended.
    var suspension: Deadline?
    /// How the process ended, while its last messages are awaited.
    var end: ProcessEnd?
    /// Limits the wait for the last messages of a process that has ended.
    var lastMessagesTimer: Deadline?
    /// Limits how long a process without its bus name may take to end by itself.
    var lostNameTimer: Deadline?
    /// Its process is gone, and systemd is asked how it ended.
    var hasEnded = false
    /// It ran when it was sent SIGTERM.
    var isAskedToEnd = false
    /// Sends SIGKILL to a process that ignores SIGTERM.
    var killTimer: Deadline?
    /// It is about to end, and hears nothing any more.
    var isLeaving: Bool { hasEnded || end != nil || (named != nil && connection == nil) }

    mutating func forgetConnection() {
      connection = nil
      direct = nil
    }
  }

  private(set) var all: [InstanceID: Instance] = [:]
  private var byToken: [String: InstanceID] = [:]
  private var byConnection: [String: InstanceID] = [:]
  private var byPID: [Int32: InstanceID] = [:]
  private var byUnit: [String: InstanceID] = [:]
  private var sessions = StartedSessions()
  /// What was started as processes of this daemon.
  var descendants = Descendants.ofNobody

  subscript(_ id: InstanceID) -> Instance? { all[id] }

  func add(_ id: InstanceID, _ instance: Instance) {
    all[id] = instance
    byPID[instance.pid] = id
    if let token = instance.token { byToken[token] = id }
    if let connection = instance.connection { byConnection[connection] = id }
    if let unit = instance.unit { byUnit[unit] = id }
    if let session = instance.session {
      sessions.began(
        id, session: session, startTime: session == instance.pid ? instance.startTime : nil)
    }
  }

  func change(_ id: InstanceID, _ body: (inout Instance) -> Void) {
    guard var instance = all[id] else { return }
    body(&instance)
    all[id] = instance
  }

  /// Whose token it is.
  func instance(ofToken token: String) -> InstanceID? { byToken[token] }

  /// Shows a token: it is used up, whatever comes of it.
  func take(token: String) -> InstanceID? {
    guard let id = byToken.removeValue(forKey: token) else { return nil }
    change(id) { $0.token = nil }
    return id
  }

  func bind(_ id: InstanceID, to connection: String, objectPath: ObjectPath?) {
    unbind(id)
    byConnection[connection] = id
    change(id) {
      $0.connection = connection
      if let objectPath { $0.objectPath = objectPath }
    }
  }

  /// It is not spoken to on its connection any more.
  func unbind(_ id: InstanceID) {
    guard let old = all[id]?.connection else { return }
    byConnection[old] = nil
    change(id) { $0.forgetConnection() }
  }

  /// The one that was met by the bus name of this application.
  func named(_ identifier: BundleIdentifier) -> InstanceID? {
    all.first { $0.key.seat.application == identifier && $0.value.named != nil }?.key
  }

  func instance(running pid: Int32) -> InstanceID? { byPID[pid] }

  func instance(on connection: String) -> InstanceID? { byConnection[connection] }

  /// The connection is gone; the process may still be there.
  func disconnect(_ connection: String) -> InstanceID? {
    guard let id = byConnection.removeValue(forKey: connection) else { return nil }
    change(id) { $0.forgetConnection() }
    return id
  }

  /// It goes on in another process.
  func succeed(_ id: InstanceID, process: ChildProcess, startTime: UInt64) {
    guard let old = all[id]?.pid else { return }
    if byPID[old] == id { byPID[old] = nil }
    byPID[process.pid] = id
    change(id) {
      $0.pid = process.pid
      $0.process = process
      $0.startTime = startTime
      $0.hasEnded = false
    }
  }

  @discardableResult func remove(_ id: InstanceID) -> Instance? {
    guard let instance = all.removeValue(forKey: id) else { return nil }
    if byPID[instance.pid] == id { byPID[instance.pid] = nil }
    if let token = instance.token { byToken[token] = nil }
    if let connection = instance.connection { byConnection[connection] = nil }
    if let unit = instance.unit { byUnit[unit] = nil }
    if let session = instance.session { sessions.ended(id, session: session) }
    return instance
  }

  /// The instance that is this very process.
  func instance(ofProcess process: (pid: Int32, startTime: UInt64)) -> InstanceID? {
    guard let id = byPID[process.pid], all[id]?.startTime == process.startTime else { return nil }
    return id
  }

  /// The instance that is the process or started it, directly or not.
  func instance(startedAs process: CallerTable.Facts) -> InstanceID? {
    // A unit of ours holds nothing but what its main process has started.
    instance(inTreeOf: process) ?? process.unit.flatMap { byUnit[$0] }
  }

  private func instance(inTreeOf process: CallerTable.Facts) -> InstanceID? {
    for (pid, startTime) in process.lineage {
      if let id = byPID[pid], let instance = all[id], instance.process != nil,
        instance.startTime == startTime
      {
        return id
      }
    }
    return sessions.instance(of: process.session).flatMap { all[$0] == nil ? nil : $0 }
  }

  /// The application that the process or one it descends from was started as; the instance may have
  /// ended.
  func application(startedAs process: CallerTable.Facts) -> BundleIdentifier? {
    (instance(startedAs: process) ?? sessions.instance(of: process.session))?.seat.application
  }

  /// It is known by those it descends from, or by its session; else by its unit.
  func isInTree(_ process: CallerTable.Facts) -> Bool {
    instance(inTreeOf: process) != nil || sessions.instance(of: process.session) != nil
  }
}
