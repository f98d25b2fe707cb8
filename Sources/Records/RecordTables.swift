/// The tables of the record of requests.
enum RecordTables {
  /// Of the tables. Count it up with each change of them.
  private static let version: Int64 = 3

  /// Makes them in a new database. One that another version has made is an error.
  static func make(in database: Database) throws(DatabaseError) {
    var version: Int64 = 0
    try database.run("PRAGMA user_version") { version = $0.integer(0) }
    if version == Self.version { return try makeIndexes(in: database) }
    var tables: Int64 = 0
    try database.run("SELECT count(*) FROM sqlite_master") { tables = $0.integer(0) }
    guard version == 0, tables == 0 else { throw .otherVersion(version) }
    try database.transaction { () throws(DatabaseError) in
      for statement in Self.schema { try database.run(statement) }
      try database.run("PRAGMA user_version = \(Self.version)")
    }
    try makeIndexes(in: database)
  }

  /// To count settled requests without reading them. They are no part of the version, for no daemon needs them.
  private static func makeIndexes(in database: Database) throws(DatabaseError) {
    try database.run("DROP INDEX IF EXISTS settled")
    for (name, condition) in [("unnamed", "IS NULL"), ("named", "IS NOT NULL")] {
      try database.run(
        """
        CREATE INDEX IF NOT EXISTS settled_\(name) ON requests (number)
          WHERE progress = 'settled' AND client_id \(condition)
        """)
    }
  }

  private static let schema = [
    """
    CREATE TABLE requests (
      number INTEGER PRIMARY KEY, time INTEGER NOT NULL, caller TEXT NOT NULL, client_id TEXT,
      subject TEXT NOT NULL, fingerprint INTEGER NOT NULL, handler TEXT NOT NULL,
      progress TEXT NOT NULL, launch TEXT, fate TEXT, detail TEXT, handled INTEGER NOT NULL,
      pid INTEGER NOT NULL, trail TEXT NOT NULL)
    """,
    """
    CREATE UNIQUE INDEX by_client ON requests (caller, client_id) WHERE client_id IS NOT NULL
    """,
    "CREATE TABLE reserved (id INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
    "CREATE INDEX by_time ON requests (time)",
    """
    CREATE TABLE running (
      pid INTEGER PRIMARY KEY, application TEXT NOT NULL, seat INTEGER NOT NULL,
      start_time INTEGER NOT NULL, is_ours INTEGER NOT NULL, is_suspended INTEGER NOT NULL)
    """,
    """
    CREATE TABLE starting (
      application TEXT NOT NULL, seat INTEGER NOT NULL, token INTEGER NOT NULL, unit TEXT,
      PRIMARY KEY (application, seat))
    """,
  ]
}
