/// The record of an application process, for the next daemon.
package struct RunningProcess: Hashable, Sendable {
  package var application: String
  /// The number of the instance slot: 0 is the main instance.
  package var slot: Int
  package var pid: Int32
  /// Number and start time together identify a process.
  package var startTime: UInt64
  /// Whether a daemon started the process.
  package var isOurs: Bool
  /// Whether a daemon has suspended the process.
  package var isSuspended: Bool
  /// The process that has checked in, if it is a descendant of this one.
  package var successor: ProcessName?

  /// Number and start time together identify a process.
  package struct ProcessName: Hashable, Sendable {
    package var pid: Int32
    package var startTime: UInt64

    package init(pid: Int32, startTime: UInt64) {
      self.pid = pid
      self.startTime = startTime
    }
  }

  package init(
    application: String, slot: Int, pid: Int32, startTime: UInt64, isOurs: Bool,
    isSuspended: Bool = false, successor: ProcessName? = nil
  ) {
    self.application = application
    self.slot = slot
    self.pid = pid
    self.startTime = startTime
    self.isOurs = isOurs
    self.isSuspended = isSuspended
    self.successor = successor
  }
}

/// The record of a session that was created for the process of an application. Descendants of the process stay in
/// the session after the process has ended.
package struct StartedSession: Hashable, Sendable {
  /// The process number of the leader.
  package var number: Int32
  /// The start time of the leader, in clock ticks since boot.
  package var startTime: UInt64
  package var application: String
  /// Identifies the run of the kernel: after a boot, all numbers are free.
  package var boot: String

  package init(number: Int32, startTime: UInt64, application: String, boot: String) {
    self.number = number
    self.startTime = startTime
    self.application = application
    self.boot = boot
  }
}

/// The record of a process that is about to be started, for the next daemon.
package struct ProcessStart: Hashable, Sendable {
  package var application: String
  /// The number of the instance slot: 0 is the main instance.
  package var slot: Int
  /// The fingerprint of the launch token in the environment of the process.
  package var token: UInt64
  /// The systemd unit of the process; nil for a child of the daemon.
  package var unit: String?

  package init(application: String, slot: Int, token: UInt64, unit: String? = nil) {
    self.application = application
    self.slot = slot
    self.token = token
    self.unit = unit
  }
}

extension RequestRecord {
  /// Maximum slot number; a greater number is treated as damage.
  private static let mostSlots = Int64(Int32.max)

  package func add(_ process: RunningProcess) throws(DatabaseError) {
    try database.run(
      """
      INSERT OR REPLACE INTO running
        (pid, application, seat, start_time, is_ours, is_suspended, successor, successor_start_time)
      VALUES (?,?,?,?,?,?,?,?)
      """,
      [
        .integer(Int64(process.pid)), .text(process.application), .integer(Int64(process.slot)),
        .integer(Int64(clamping: process.startTime)), .integer(process.isOurs ? 1 : 0),
        .integer(process.isSuspended ? 1 : 0), .integer(Int64(process.successor?.pid ?? 0)),
        .integer(Int64(clamping: process.successor?.startTime ?? 0)),
      ])
  }

  package func remove(pid: Int32) throws(DatabaseError) {
    try database.run("DELETE FROM running WHERE pid = ?", [.integer(Int64(pid))])
  }

  package func running() throws(DatabaseError) -> [RunningProcess] {
    var processes: [RunningProcess] = []
    try database.run(
      """
      SELECT application, seat, pid, start_time, is_ours, is_suspended, successor,
        successor_start_time FROM running
      ORDER BY seat, pid
      """
    ) { row in
      guard (0...Self.mostSlots).contains(row.integer(1)) else { return }
      let successor = RunningProcess.ProcessName(
        pid: Int32(clamping: row.integer(6)), startTime: UInt64(clamping: row.integer(7)))
      processes.append(
        RunningProcess(
          application: row.text(0) ?? "", slot: Int(row.integer(1)),
          pid: Int32(clamping: row.integer(2)), startTime: UInt64(clamping: row.integer(3)),
          isOurs: row.integer(4) != 0, isSuspended: row.integer(5) != 0,
          successor: successor.pid > 0 ? successor : nil))
    }
    return processes
  }

  package func add(_ session: StartedSession) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO sessions (session, start_time, application, boot) VALUES (?,?,?,?)",
      [
        .integer(Int64(session.number)), .integer(Int64(clamping: session.startTime)),
        .text(session.application), .text(session.boot),
      ])
  }

  package func remove(session: Int32) throws(DatabaseError) {
    try database.run("DELETE FROM sessions WHERE session = ?", [.integer(Int64(session))])
  }

  package func sessions() throws(DatabaseError) -> [StartedSession] {
    var sessions: [StartedSession] = []
    try database.run(
      "SELECT session, start_time, application, boot FROM sessions ORDER BY session"
    ) { row in
      sessions.append(
        StartedSession(
          number: Int32(clamping: row.integer(0)), startTime: UInt64(clamping: row.integer(1)),
          application: row.text(2) ?? "", boot: row.text(3) ?? ""))
    }
    return sessions
  }

  /// Records a start. Each instance starts one process at a time.
  package func begin(_ start: ProcessStart) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO starting (application, seat, token, unit) VALUES (?,?,?,?)",
      [
        .text(start.application), .integer(Int64(start.slot)),
        .integer(Int64(bitPattern: start.token)), .init(start.unit),
      ])
  }

  package func endStart(of application: String, slot: Int) throws(DatabaseError) {
    try database.run(
      "DELETE FROM starting WHERE application = ? AND seat = ?",
      [.text(application), .integer(Int64(slot))])
  }

  /// The starts without a recorded success or failure.
  package func starts() throws(DatabaseError) -> [ProcessStart] {
    var starts: [ProcessStart] = []
    try database.run(
      "SELECT application, seat, token, unit FROM starting ORDER BY seat, application"
    ) { row in
      guard (0...Self.mostSlots).contains(row.integer(1)) else { return }
      starts.append(
        ProcessStart(
          application: row.text(0) ?? "", slot: Int(row.integer(1)),
          token: UInt64(bitPattern: row.integer(2)), unit: row.text(3)))
    }
    return starts
  }
}
