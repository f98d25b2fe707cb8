internal import LaunchRules

/// The tables of the record of requests.
enum RecordTables {
  /// The version of the tables. Increase it with each change of them.
  private static let version: Int64 = 6

  /// Makes the tables in a new database, or converts those of an earlier version. An unknown version is an error.
  /// - Returns: false when the tables were there.
  static func make(in database: Database) throws(DatabaseError) -> Bool {
    var version: Int64 = 0
    try database.run("PRAGMA user_version") { version = $0.integer(0) }
    if version == Self.version { return false }
    var tables: Int64 = 0
    try database.run("SELECT count(*) FROM sqlite_master") { tables = $0.integer(0) }
    guard (3...5).contains(version) || (version == 0 && tables == 0) else {
      throw .otherVersion(version)
    }
    try database.transaction { () throws(DatabaseError) in
      if version == 0 {
        for statement in Self.requests + Self.others { try database.run(statement) }
      }
      if version == 3 { try change3(in: database) }
      if (3...4).contains(version) {
        for statement in Self.change4 { try database.run(statement) }
      }
      if version >= 3 { try database.run(Self.sessions) }
      try database.run("PRAGMA user_version = \(Self.version)")
    }
    return true
  }

  /// Version 3 looked identifiers up under the name of the caller. Of several requests with one identifier, the last
  /// one counts now.
  private static func change3(in database: Database) throws(DatabaseError) {
    for index in ["settled", "settled_named", "settled_unnamed", "by_client", "by_time"] {
      try database.run("DROP INDEX IF EXISTS \(index)")
    }
    try database.run("ALTER TABLE requests RENAME TO requests_3")
    for statement in Self.requests { try database.run(statement) }
    var entries: [RequestEntry] = []
    try database.run(
      """
      SELECT number, time, caller, client_id, subject, fingerprint, handler, progress, launch, fate,
        detail, handled, pid, trail FROM requests_3 ORDER BY number
      """
    ) { row in
      guard let progress = row.text(7).flatMap(RequestEntry.Progress.init) else { return }
      entries.append(
        RequestEntry(
          number: UInt64(clamping: row.integer(0)), time: UInt64(clamping: row.integer(1)),
          caller: row.text(2) ?? "", name: row.text(3).map { RequestName($0) },
          subject: row.text(4) ?? "", fingerprint: UInt64(bitPattern: row.integer(5)),
          handler: row.text(6) ?? "", progress: progress, launch: row.text(8), fate: row.text(9),
          detail: row.text(10), handled: row.integer(11) != 0,
          pid: Int32(clamping: row.integer(12)),
          trail: RequestStep.list(row.text(13) ?? "")))
    }
    for entry in entries { try entry.write(to: database, now: entry.time) }
    try database.run("DROP TABLE requests_3")
  }

  /// Version 4 did not record which process had checked in.
  private static let change4 = ["successor", "successor_start_time"].map {
    "ALTER TABLE running ADD COLUMN \($0) INTEGER NOT NULL DEFAULT 0"
  }

  private static let requests =
    [
      """
      CREATE TABLE requests (
        number INTEGER PRIMARY KEY, time INTEGER NOT NULL, caller TEXT NOT NULL,
        origin TEXT NOT NULL, scope TEXT NOT NULL, client_id TEXT, subject TEXT NOT NULL,
        fingerprint INTEGER NOT NULL, handler TEXT NOT NULL, progress TEXT NOT NULL, launch TEXT,
        fate TEXT, detail TEXT, handled INTEGER NOT NULL, pid INTEGER NOT NULL,
        start_time INTEGER NOT NULL, trail TEXT NOT NULL, written INTEGER NOT NULL,
        checksum INTEGER NOT NULL)
      """,
      """
      CREATE UNIQUE INDEX by_client ON requests (scope, client_id) WHERE client_id IS NOT NULL
      """,
      "CREATE INDEX by_time ON requests (time)",
    ]
    // To count the settled requests of each caller without reading them.
    + [("unnamed", "IS NULL"), ("named", "IS NOT NULL")].map { name, condition in
      """
      CREATE INDEX settled_\(name) ON requests (origin, number)
        WHERE progress = 'settled' AND client_id \(condition)
      """
    }

  /// New in version 6.
  private static let sessions = """
    CREATE TABLE sessions (
      session INTEGER PRIMARY KEY, start_time INTEGER NOT NULL, application TEXT NOT NULL,
      boot TEXT NOT NULL)
    """

  /// The column `seat` holds the number of the instance slot. Its name is part of the stored format.
  private static let others = [
    "CREATE TABLE reserved (id INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
    """
    CREATE TABLE running (
      pid INTEGER PRIMARY KEY, application TEXT NOT NULL, seat INTEGER NOT NULL,
      start_time INTEGER NOT NULL, is_ours INTEGER NOT NULL, is_suspended INTEGER NOT NULL,
      successor INTEGER NOT NULL DEFAULT 0, successor_start_time INTEGER NOT NULL DEFAULT 0)
    """,
    """
    CREATE TABLE starting (
      application TEXT NOT NULL, seat INTEGER NOT NULL, token INTEGER NOT NULL, unit TEXT,
      PRIMARY KEY (application, seat))
    """,
    sessions,
  ]
}
