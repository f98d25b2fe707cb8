internal import Glibc

/// The durable record of recent requests, and of the processes that serve them.
///
/// A write survives the death of this process at any moment. A power cut may take the last ones with
/// it, because waiting for the disk would cost every open some milliseconds.
package final class RequestRecord {
  let database: Database
  private let path: String
  /// Which file it is.
  private let place: FilePlace?
  /// It was made now, or from one of an earlier version.
  let isNew: Bool
  /// How many requests are kept; for a while a tenth more.
  private let limit: Int
  /// For how long, in microseconds.
  private let age: UInt64
  /// The clock may be wrong, so this many of the newest requests are kept however old they seem.
  private static let keptHoweverOld: Int64 = 1000
  /// What was written so long ago is not asked for again by who was cut off, in microseconds.
  private static let kept: UInt64 = 60_000_000
  /// So many times as many requests are kept where all were written since.
  private static let most = 4
  /// The fingerprints of the names that were forgotten.
  private var forgotten: [UInt64] = []
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
    isNew = try RecordTables.make(in: database)
    place = FilePlace(path)
    self.path = path
    lastBefore = Int64(clamping: try lastNumber())
  }

  /// The file that has the name is this one.
  var isInPlace: Bool { place != nil && FilePlace(path) == place }

  /// For how long a statement waits for another process that has locked the file, in milliseconds.
  var patience: Int32 {
    get { database.patience }
    set { database.patience = newValue }
  }

  func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try database.transaction(body)
  }

  /// Reads every page.
  func check() throws(DatabaseError) { try database.check() }

  /// Since when, in microseconds since 1970, something may be missing that an earlier record knew; 0 for never.
  func gap() throws(DatabaseError) -> UInt64 {
    var time: UInt64 = 0
    try database.run("SELECT number FROM reserved WHERE id = 2") {
      time = UInt64(clamping: $0.integer(0))
    }
    return time
  }

  func setGap(_ time: UInt64) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO reserved (id, number) VALUES (2, ?)",
      [.integer(Int64(clamping: time))])
  }

  /// Takes the fingerprints of the names that were forgotten since this was called last.
  func takeForgotten() -> [UInt64] {
    defer { forgotten = [] }
    return forgotten
  }

  /// Opens the record; one that is damaged or of a version that is not known is moved aside first.
  /// - Returns: the record, and where the other one is now, and why.
  package static func open(
    path: String, limit: Int, age: Int
  ) throws(DatabaseError) -> (RequestRecord, aside: (path: String, reason: DatabaseError)?) {
    do throws(DatabaseError) {
      return (try RequestRecord(path: path, limit: limit, age: age), nil)
    } catch  where error.isDamage || error.otherVersion != nil {
      let aside = path + (error.otherVersion.map { ".version-\($0)" } ?? ".damaged")
      unsafe rename(path, aside)
      for rest in ["-wal", "-shm"] { unsafe unlink(path + rest) }
      return (try RequestRecord(path: path, limit: limit, age: age), (aside, error))
    }
  }
}

// MARK: - Requests

extension RequestRecord {
  /// The greatest number that may have been given out; 0 when there is none.
  package func lastNumber() throws(DatabaseError) -> UInt64 {
    var last: Int64 = 0
    try database.run(
      "SELECT max(ifnull((SELECT max(number) FROM requests), 0), ifnull((SELECT number FROM reserved WHERE id = 1), 0))"
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
    try write(entry, now: now)
    try pruneNowAndThen(now: now)
  }

  private func write(_ entry: RequestEntry, now: UInt64) throws(DatabaseError) {
    try entry.write(to: database, now: now)
    sincePruning += 1
  }

  func write(_ entries: [RequestEntry], now: UInt64) throws(DatabaseError) {
    for entry in entries { try write(entry, now: now) }
  }

  /// Writes several, all or none.
  package func save(_ entries: [RequestEntry], now: UInt64) throws(DatabaseError) {
    try database.transaction { () throws(DatabaseError) in
      for entry in entries { try write(entry, now: now) }
      try pruneNowAndThen(now: now)
    }
  }

  func pruneNowAndThen(now: UInt64) throws(DatabaseError) {
    // Counting takes as long as a hundred writes when the record is full.
    if sincePruning >= max(100, limit / 10) { try prune(now: now) }
  }

  /// Forgets what is too old or too much, and nothing that is under way. What an earlier daemon has
  /// left under way is forgotten when it is too old.
  package func prune(now: UInt64) throws(DatabaseError) {
    sincePruning = 0
    // Those with a name, which are asked about again, are not pushed out by those without, and those of one
    // caller not by those of another. Who is cut off asks again soon, whoever has asked for how much since.
    try cut(named: false, to: limit, writtenBefore: .max)
    try cut(named: true, to: limit, writtenBefore: now > Self.kept ? now - Self.kept : 0)
    try cut(named: true, to: limit * Self.most, writtenBefore: .max)
    let oldest = Int64(clamping: now > age ? now - age : 0)
    // The plus makes SQLite look only at those that are too old.
    try delete(
      """
      WHERE time < ? AND (progress = 'settled' OR number <= ?)
        AND (client_id IS NULL OR +number <= (
          SELECT number FROM requests WHERE client_id IS NOT NULL
          ORDER BY number DESC LIMIT 1 OFFSET ?))
      """, [.integer(oldest), .integer(lastBefore), .integer(Self.keptHoweverOld)])
  }

  /// Of the settled ones, the oldest of those callers who have most.
  private func cut(named: Bool, to total: Int, writtenBefore: UInt64) throws(DatabaseError) {
    let those = "progress = 'settled' AND client_id \(named ? "IS NOT NULL" : "IS NULL")"
    var counts: [(origin: String, count: Int)] = []
    try database.run("SELECT origin, count(*) FROM requests WHERE \(those) GROUP BY origin") {
      counts.append(($0.text(0) ?? "", Int($0.integer(1))))
    }
    let most = FairShare.most(of: counts.map(\.count), total: total)
    for (origin, count) in counts where count > most {
      try delete(
        """
        WHERE \(those) AND origin = ?1 AND number <= (
          SELECT number FROM requests WHERE \(those) AND origin = ?1
          ORDER BY number DESC LIMIT 1 OFFSET ?2) AND written < ?3
        """, [.text(origin), .integer(Int64(most)), .integer(Int64(clamping: writtenBefore))])
    }
  }

  private func delete(
    _ condition: String, _ parameters: [Database.Parameter]
  ) throws(DatabaseError) {
    try database.run(
      "DELETE FROM requests \(condition) RETURNING client_id, scope", parameters
    ) { row in
      guard let id = row.text(0) else { return }
      forgotten.append(RequestName(id, scope: row.text(1) ?? "").fingerprint)
    }
  }

  /// The next requests that have names, lowest number first.
  func named(after number: UInt64, limit: Int) throws(DatabaseError) -> [RequestEntry] {
    try entries(
      "WHERE number > ? AND client_id IS NOT NULL ORDER BY number LIMIT ?",
      [.integer(Int64(clamping: number)), .integer(Int64(limit))])
  }

  /// The request that has this name.
  package func find(_ name: RequestName) throws(DatabaseError) -> RequestEntry? {
    try entries(
      "WHERE scope = ? AND client_id = ?", [.text(name.scope), .text(name.id)]
    ).first
  }

  /// The requests whose names begin with this one, newest first.
  package func find(prefix: RequestName) throws(DatabaseError) -> [RequestEntry] {
    try entries(
      """
      WHERE scope = ?1 AND client_id >= ?2 AND substr(client_id, 1, length(?2)) = ?2
        AND client_id < ?2 || char(1114111)
      ORDER BY number DESC
      """, [.text(prefix.scope), .text(prefix.id)])
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
        .integer(Int64(clamping: since)), .init(handler), .init(caller), .integer(Int64(limit)),
      ])
  }

  private func entries(
    _ condition: String, _ parameters: [Database.Parameter]
  ) throws(DatabaseError) -> [RequestEntry] {
    var entries: [RequestEntry] = []
    var damaged: Int64?
    try database.run("SELECT \(RequestEntry.columns) FROM requests \(condition)", parameters) {
      if let entry = RequestEntry($0) { entries.append(entry) } else { damaged = $0.integer(0) }
    }
    if let damaged { throw .damage("request \(damaged) is not as it was written") }
    return entries
  }
}

/// Which file has a name.
private struct FilePlace: Equatable {
  let device: UInt
  let number: UInt

  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    number = UInt(status.st_ino)
  }
}
