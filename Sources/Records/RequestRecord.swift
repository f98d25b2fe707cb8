internal import Glibc
internal import LaunchRules

/// The durable record of recent requests, and of the processes that serve them.
///
/// A write survives the end of this process at any moment. A power failure may lose the last writes, because
/// waiting for the disk would cost every open some milliseconds.
package final class RequestRecord {
  let database: Database
  private let path: String
  /// The identity of the open file.
  private let place: FilePlace?
  /// The file was made now, or converted from an earlier version.
  let isNew: Bool
  /// The number of requests that are kept; between two prunings up to a tenth more.
  private let limit: Int
  /// The age up to which requests are kept, in microseconds.
  private let age: UInt64
  /// The clock may be wrong, so this many of the newest requests are kept at any age.
  private static let keptHoweverOld: Int64 = 1000
  /// The time in which a client that lost its answer repeats a request, in microseconds.
  private static let kept: UInt64 = 60_000_000
  /// The factor by which requests younger than this may exceed the limit.
  private static let most = 4
  /// The fingerprints of the names whose requests were dropped.
  private var forgotten: [UInt64] = []
  /// Large enough that the first write prunes: sessions may be short.
  private var sincePruning = 1 << 30
  /// Requests of this process have greater numbers.
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

  /// Whether the path still leads to the open file.
  var isInPlace: Bool { place != nil && FilePlace(path) == place }

  /// The time for which a statement waits for a lock of another process, in milliseconds.
  var patience: Int32 {
    get { database.patience }
    set { database.patience = newValue }
  }

  func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try database.transaction(body)
  }

  /// Reads every page.
  func check() throws(DatabaseError) { try database.check() }

  /// See `RecordGap`; nil when no requests are missing. Earlier versions did not count the time.
  func gap() throws(DatabaseError) -> (begin: UInt64, counted: UInt64)? {
    var gap: (begin: UInt64, counted: UInt64)?
    try database.run(
      "SELECT number, ifnull((SELECT number FROM reserved WHERE id = 3), 0) FROM reserved WHERE id = 2 AND number > 0"
    ) { gap = (UInt64(clamping: $0.integer(0)), UInt64(clamping: $0.integer(1))) }
    return gap
  }

  /// - Parameters:
  ///   - begin: 0 for no gap.
  ///   - counted: see `RecordGap`.
  func setGap(_ begin: UInt64, counted: UInt64) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO reserved (id, number) VALUES (2, ?), (3, ?)",
      [.integer(Int64(clamping: begin)), .integer(Int64(clamping: counted))])
  }

  /// See `RecordFile.now`; nil when none is known for this start of the system.
  func timeOfBoot(_ boot: String) throws(DatabaseError) -> Int64? {
    var time: Int64?
    try database.run(
      "SELECT number FROM reserved WHERE id = 5 AND (SELECT number FROM reserved WHERE id = 4) = ?",
      [.integer(Self.number(of: boot))]
    ) { time = $0.integer(0) }
    return time
  }

  func setTimeOfBoot(_ time: Int64, _ boot: String) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO reserved (id, number) VALUES (4, ?), (5, ?)",
      [.integer(Self.number(of: boot)), .integer(time)])
  }

  private static func number(of boot: String) -> Int64 {
    var hash = FNV1a()
    hash.add(boot)
    return Int64(bitPattern: hash.value)
  }

  /// Returns the fingerprints of the names that were dropped since the last call.
  func takeForgotten() -> [UInt64] {
    defer { forgotten = [] }
    return forgotten
  }

  /// Opens the record. Moves a damaged file, or one of an unknown version, aside first.
  /// - Returns: the record; for a file that was moved aside, its new path and the reason.
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
  /// The greatest number that may have been used; 0 when there is none.
  package func lastNumber() throws(DatabaseError) -> UInt64 {
    var last: Int64 = 0
    try database.run(
      "SELECT max(ifnull((SELECT max(number) FROM requests), 0), ifnull((SELECT number FROM reserved WHERE id = 1), 0))"
    ) { last = $0.integer(0) }
    return UInt64(clamping: last)
  }

  /// Reserves numbers up to this one, also for requests that are never written.
  package func reserve(_ number: UInt64) throws(DatabaseError) {
    try database.run(
      "INSERT OR REPLACE INTO reserved (id, number) VALUES (1, ?)",
      [.integer(Int64(clamping: number))])
  }

  /// Writes a request, and replaces its earlier row.
  /// - Parameter now: in microseconds since 1970; requests that are too old then are dropped from time to time.
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

  /// Writes several requests, all or none.
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

  /// Drops settled requests that are too old or exceed the limit, and never those under way. Requests that were under
  /// way in an earlier daemon are dropped when they are too old.
  package func prune(now: UInt64) throws(DatabaseError) {
    sincePruning = 0
    // Requests without a name do not push out those with a name, which may be repeated, and the requests of one
    // caller do not push out those of another. A client that lost its answer repeats its request soon.
    try cut(identified: false, to: limit, writtenBefore: .max)
    try cut(identified: true, to: limit, writtenBefore: now > Self.kept ? now - Self.kept : 0)
    try cut(identified: true, to: limit * Self.most, writtenBefore: .max)
    let oldest = Int64(clamping: now > age ? now - age : 0)
    // The unary plus makes SQLite read only the rows that are too old.
    try delete(
      """
      WHERE time < ? AND (progress = 'settled' OR number <= ?)
        AND (client_id IS NULL OR +number <= (
          SELECT number FROM requests WHERE client_id IS NOT NULL
          ORDER BY number DESC LIMIT 1 OFFSET ?))
      """, [.integer(oldest), .integer(lastBefore), .integer(Self.keptHoweverOld)])
  }

  /// Drops the oldest settled requests of the callers that have the most.
  private func cut(identified isIdentified: Bool, to total: Int, writtenBefore: UInt64)
    throws(DatabaseError)
  {
    let those = "progress = 'settled' AND client_id \(isIdentified ? "IS NOT NULL" : "IS NULL")"
    var count = 0
    try database.run("SELECT count(*) FROM requests WHERE \(those)") { count = Int($0.integer(0)) }
    guard count > total else { return }
    var requests = FairShare.Requests()
    try database.run(
      "SELECT origin, number FROM requests WHERE \(those) ORDER BY origin, number"
    ) { requests.add($0.integer(1), of: $0.text(0) ?? "") }
    let surplus = requests.surplus(over: total)
    for start in stride(from: 0, to: surplus.count, by: Self.mostAtOnce) {
      let numbers = surplus[start..<min(surplus.count, start + Self.mostAtOnce)]
      try delete(
        "WHERE number IN (\(numbers.map(String.init).joined(separator: ","))) AND written < ?",
        [.integer(Int64(clamping: writtenBefore))])
    }
  }

  /// Number of requests that one statement drops.
  private static let mostAtOnce = 500

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

  /// The next requests with names, lowest number first.
  func identified(after number: UInt64, limit: Int) throws(DatabaseError) -> [RequestEntry] {
    try entries(
      "WHERE number > ? AND client_id IS NOT NULL ORDER BY number LIMIT ?",
      [.integer(Int64(clamping: number)), .integer(Int64(limit))])
  }

  /// The names of the requests that were accepted, and not handed over.
  func acceptedNames() throws(DatabaseError) -> [RequestName] {
    try entries("WHERE progress = 'accepted' AND client_id IS NOT NULL", []).compactMap(\.name)
  }

  func entry(_ number: UInt64) throws(DatabaseError) -> RequestEntry? {
    try entries("WHERE number = ?", [.integer(Int64(clamping: number))]).first
  }

  /// The request of this name.
  package func find(_ name: RequestName) throws(DatabaseError) -> RequestEntry? {
    try entries(
      "WHERE scope = ? AND client_id = ?", [.text(name.scope), .text(name.id)]
    ).first
  }

  /// Whether there is a request with this identifier in one of the other scopes.
  func has(_ name: RequestName, in others: RequestName.OtherScopes) throws(DatabaseError) -> Bool {
    var found = false
    try database.run(
      // All scopes, by steps in the index, so that not every request is read.
      """
      WITH RECURSIVE scopes (scope) AS (
        SELECT min(scope) FROM requests WHERE client_id IS NOT NULL
        UNION ALL
        SELECT (SELECT min(scope) FROM requests WHERE client_id IS NOT NULL AND scope > scopes.scope)
          FROM scopes WHERE scopes.scope IS NOT NULL)
      SELECT 1 FROM requests
        WHERE client_id = ?1 AND scope IN (SELECT scope FROM scopes) AND scope <> ?2
          AND (substr(scope, 1, length(?3)) = ?3) = ?4
        LIMIT 1
      """,
      [
        .text(name.id), .text(name.scope), .text(others.prefix),
        .integer(others.havePrefix ? 1 : 0),
      ]
    ) { _ in found = true }
    return found
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
  ///   - handler: only requests for this application. Identifiers compare without regard to case (R1.9).
  ///   - caller: only requests of this caller.
  ///   - since: only requests accepted at this time or later, in microseconds since 1970.
  package func recent(
    limit: Int, bytes: Int = .max, handler: String? = nil, caller: String? = nil, since: UInt64 = 0
  ) throws(DatabaseError) -> [RequestEntry] {
    try entries(
      bytes: bytes,
      """
      WHERE time >= ?1 AND (?2 IS NULL OR handler = ?2 COLLATE NOCASE)
        AND (?3 IS NULL OR caller = ?3 COLLATE NOCASE)
      ORDER BY number DESC LIMIT ?4
      """,
      [
        .integer(Int64(clamping: since)), .init(handler), .init(caller), .integer(Int64(limit)),
      ])
  }

  /// - Parameter bytes: the size from which further entries are left out.
  private func entries(
    bytes: Int = .max, _ condition: String, _ parameters: [Database.Parameter]
  ) throws(DatabaseError) -> [RequestEntry] {
    var entries: [RequestEntry] = []
    var damaged: Int64?
    var size = 0
    try database.run("SELECT \(RequestEntry.columns) FROM requests \(condition)", parameters) {
      guard size < bytes else { return }
      guard let entry = RequestEntry($0) else {
        damaged = $0.integer(0)
        return
      }
      size += entry.size
      entries.append(entry)
    }
    if let damaged { throw .damage("request \(damaged) is not as it was written") }
    return entries
  }
}

/// The device and inode of a path.
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
