internal import Glibc

/// The durable record of recent requests, and of the processes that serve them.
///
/// A write survives the death of this process at any moment. A power cut may take the last ones with
/// it, because waiting for the disk would cost every open some milliseconds.
package final class RequestRecord {
  private let database: Database
  /// How many requests are kept; for a while a tenth more.
  private let limit: Int
  /// For how long, in microseconds.
  private let age: UInt64
  /// The clock may be wrong, so this many of the newest requests are kept however old they seem.
  private static let keptHoweverOld: Int64 = 1000
  /// So great that the first write prunes: sessions may be short.
  private var sincePruning = 1 << 30
  /// Greater numbers are those of requests of this process.
  private var lastBefore: Int64 = 0

  /// Opens the record, or makes it.
  /// - Parameter age: in seconds.
  package init(path: String, limit: Int, age: Int) throws(DatabaseError) {
    self.limit = limit
    self.age = UInt64(age) * 1_000_000
    database = try Database(path: path)
    try database.run("PRAGMA journal_mode = WAL")
    try database.run("PRAGMA synchronous = NORMAL")
    try database.run("PRAGMA journal_size_limit = 1048576")
    try RecordTables.make(in: database)
    lastBefore = Int64(clamping: try lastNumber())
  }

  /// Opens the record; one that is damaged or of another version is moved aside first.
  /// - Returns: the record, and where the other one is now, and why.
  package static func open(
    path: String, limit: Int, age: Int
  ) throws(DatabaseError) -> (RequestRecord, aside: (path: String, reason: DatabaseError)?) {
    do throws(DatabaseError) {
      return (try RequestRecord(path: path, limit: limit, age: age), nil)
    } catch  where error.isDamage {
      let aside = path + ".damaged"
      unsafe rename(path, aside)
      for rest in ["-wal", "-shm"] { unsafe unlink(path + rest) }
      return (try RequestRecord(path: path, limit: limit, age: age), (aside, error))
    }
  }
}

// MARK: - Requests

extension RequestRecord {
  private static let columns = """
    number, time, caller, client_id, subject, handler, progress, launch, fate, detail, handled, pid,
    trail, fingerprint
    """

  /// The greatest number that may have been given out; 0 when there is none.
  package func lastNumber() throws(DatabaseError) -> UInt64 {
    var last: Int64 = 0
    try database.run(
      "SELECT max(ifnull((SELECT max(number) FROM requests), 0), ifnull((SELECT number FROM reserved), 0))"
    ) { last = $0.integer(0) }
    return UInt64(clamping: last)
  }

  /// Numbers up to this one may be given out, also to requests that are never written.
  package func reserve(_ number: UInt64) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO reserved (id, number) VALUES (1, ?)",
      [.integer(Int64(clamping: number))])
  }

  /// Writes a request, over what is there of it.
  /// - Parameter now: in microseconds since 1970; what is too old by then is forgotten now and then.
  package func save(_ entry: RequestEntry, now: UInt64) throws(DatabaseError) {
    try write(entry)
    try pruneNowAndThen(now: now)
  }

  private func write(_ entry: RequestEntry) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO requests (\(Self.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      [
        .integer(Int64(clamping: entry.number)), .integer(Int64(clamping: entry.time)),
        .text(entry.caller), entry.clientID.parameter, .text(entry.subject), .text(entry.handler),
        .text(entry.progress.rawValue), entry.launch.parameter, entry.fate.parameter,
        entry.detail.parameter, .integer(entry.handled ? 1 : 0), .integer(Int64(entry.pid)),
        .text(entry.trail.map { "\($0.state):\($0.microseconds)" }.joined(separator: " ")),
        .integer(Int64(bitPattern: entry.fingerprint)),
      ])
    sincePruning += 1
  }

  /// Writes several, all or none.
  package func save(_ entries: [RequestEntry], now: UInt64) throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      for entry in entries { try write(entry) }
      try pruneNowAndThen(now: now)
    }
  }

  private func pruneNowAndThen(now: UInt64) throws(DatabaseError) {
    // Counting takes as long as a hundred writes when the record is full.
    if sincePruning >= max(100, limit / 10) { try prune(now: now) }
  }

  /// Forgets what is too old or too much, and nothing that is under way. What an earlier daemon has
  /// left under way is forgotten when it is too old.
  package func prune(now: UInt64) throws(DatabaseError) {
    sincePruning = 0
    let oldest = Int64(clamping: now > age ? now - age : 0)
    // Numbers say nothing of how many there are: each start of the daemon leaves some out.
    // Those with a name, which are asked about again, are not pushed out by those without.
    for named in ["client_id IS NULL", "client_id IS NOT NULL"] {
      try database.run(
        """
        DELETE FROM requests WHERE progress = 'settled' AND \(named) AND number <= (
          SELECT number FROM requests WHERE progress = 'settled' AND \(named)
          ORDER BY number DESC LIMIT 1 OFFSET ?)
        """, [.integer(Int64(limit))])
    }
    // The plus makes SQLite look only at those that are too old.
    try database.run(
      """
      DELETE FROM requests WHERE time < ? AND (progress = 'settled' OR number <= ?)
        AND (client_id IS NULL OR +number <= (
          SELECT number FROM requests WHERE client_id IS NOT NULL
          ORDER BY number DESC LIMIT 1 OFFSET ?))
      """, [.integer(oldest), .integer(lastBefore), .integer(Self.keptHoweverOld)])
  }

  /// The request of this caller that has this identifier.
  package func find(caller: String, clientID: String) throws(DatabaseError) -> RequestEntry? {
    try entries(
      "WHERE caller = ? AND client_id = ?", [.text(caller), .text(clientID)]
    ).first
  }

  /// The requests of this caller whose identifiers begin with this, newest first.
  package func find(
    caller: String, clientIDPrefix prefix: String
  ) throws(DatabaseError) -> [RequestEntry] {
    try entries(
      """
      WHERE caller = ?1 AND client_id >= ?2 AND substr(client_id, 1, length(?2)) = ?2
        AND client_id < ?2 || char(1114111)
      ORDER BY number DESC
      """, [.text(caller), .text(prefix)])
  }

  /// The newest requests, newest first.
  /// - Parameters:
  ///   - handler: only those for this application.
  ///   - caller: only those of this caller.
  ///   - since: only those accepted at this time or later, in microseconds since 1970.
  package func recent(
    limit: Int, handler: String? = nil, caller: String? = nil, since: UInt64 = 0
  ) throws(DatabaseError) -> [RequestEntry] {
    try entries(
      """
      WHERE time >= ?1 AND (?2 IS NULL OR handler = ?2) AND (?3 IS NULL OR caller = ?3)
      ORDER BY number DESC LIMIT ?4
      """,
      [
        .integer(Int64(clamping: since)), handler.parameter, caller.parameter,
        .integer(Int64(limit)),
      ])
  }

  private func entries(
    _ condition: String, _ parameters: [Database.Parameter]
  ) throws(DatabaseError) -> [RequestEntry] {
    var entries: [RequestEntry] = []
    try database.run("SELECT \(Self.columns) FROM requests \(condition)", parameters) { row in
      if let entry = RequestEntry(row) { entries.append(entry) }
    }
    return entries
  }
}

// MARK: - Processes

extension RequestRecord {
  /// Nobody starts more instances of an application; a greater number is damage.
  private static let mostSeats = Int64(Int32.max)

  package func add(_ process: RunningProcess) throws(DatabaseError) {
    try database.run(
      """
      INSERT OR REPLACE INTO running (pid, application, seat, start_time, is_ours, is_suspended)
      VALUES (?,?,?,?,?,?)
      """,
      [
        .integer(Int64(process.pid)), .text(process.application), .integer(Int64(process.seat)),
        .integer(Int64(clamping: process.startTime)), .integer(process.isOurs ? 1 : 0),
        .integer(process.isSuspended ? 1 : 0),
      ])
  }

  package func remove(pid: Int32) throws(DatabaseError) {
    try database.run("DELETE FROM running WHERE pid = ?", [.integer(Int64(pid))])
  }

  package func running() throws(DatabaseError) -> [RunningProcess] {
    var processes: [RunningProcess] = []
    try database.run(
      """
      SELECT application, seat, pid, start_time, is_ours, is_suspended FROM running
      ORDER BY seat, pid
      """
    ) { row in
      guard (0...Self.mostSeats).contains(row.integer(1)) else { return }
      processes.append(
        RunningProcess(
          application: row.text(0) ?? "", seat: Int(row.integer(1)),
          pid: Int32(clamping: row.integer(2)), startTime: UInt64(clamping: row.integer(3)),
          isOurs: row.integer(4) != 0, isSuspended: row.integer(5) != 0))
    }
    return processes
  }

  /// Each instance starts one process at a time.
  package func begin(_ start: ProcessStart) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO starting (application, seat, token, unit) VALUES (?,?,?,?)",
      [
        .text(start.application), .integer(Int64(start.seat)),
        .integer(Int64(bitPattern: start.token)), start.unit.parameter,
      ])
  }

  package func endStart(of application: String, seat: Int) throws(DatabaseError) {
    try database.run(
      "DELETE FROM starting WHERE application = ? AND seat = ?",
      [.text(application), .integer(Int64(seat))])
  }

  /// Those that have not ended, by succeeding or failing.
  package func starts() throws(DatabaseError) -> [ProcessStart] {
    var starts: [ProcessStart] = []
    try database.run(
      "SELECT application, seat, token, unit FROM starting ORDER BY seat, application"
    ) { row in
      guard (0...Self.mostSeats).contains(row.integer(1)) else { return }
      starts.append(
        ProcessStart(
          application: row.text(0) ?? "", seat: Int(row.integer(1)),
          token: UInt64(bitPattern: row.integer(2)), unit: row.text(3)))
    }
    return starts
  }
}

extension String? {
  fileprivate var parameter: Database.Parameter { map(Database.Parameter.text) ?? .null }
}

extension RequestEntry {
  /// Nil when a later version wrote what this one does not know.
  fileprivate init?(_ row: Database.Row) {
    guard let progress = row.text(6).flatMap(Progress.init) else { return nil }
    let steps = (row.text(12) ?? "").split(separator: " ").compactMap { step -> Step? in
      guard let colon = step.lastIndex(of: ":"),
        let time = UInt64(step[step.index(after: colon)...])
      else { return nil }
      return Step(String(step[..<colon]), at: time)
    }
    self.init(
      number: UInt64(clamping: row.integer(0)), time: UInt64(clamping: row.integer(1)),
      caller: row.text(2) ?? "", clientID: row.text(3), subject: row.text(4) ?? "",
      fingerprint: UInt64(bitPattern: row.integer(13)),
      handler: row.text(5) ?? "", progress: progress, launch: row.text(7), fate: row.text(8),
      detail: row.text(9), handled: row.integer(10) != 0, pid: Int32(clamping: row.integer(11)),
      trail: steps)
  }
}
