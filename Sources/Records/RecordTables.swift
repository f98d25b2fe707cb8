/// The tables of the record of requests.
enum RecordTables {
  /// Of the tables. Count it up with each change of them.
  private static let version: Int64 = 3

  /// Makes them in a new database. One that another version has made is an error.
  static func make(in database: Database) throws(DatabaseError) {
    var version: Int64 = 0
    try database.run("PRAGMA user_version") { version = $0.integer(0) }
    if version == Self.version { return }
    var tables: Int64 = 0
    try database.run("SELECT count(*) FROM sqlite_master") { tables = $0.integer(0) }
    guard version == 0, tables == 0 else { throw .otherVersion(version) }
    try database.transaction { () throws(DatabaseError) in
      for statement in Self.schema { try database.run(statement) }
      try database.run("PRAGMA user_version = \(Self.version)")
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
    // To count them without reading them.
    "CREATE INDEX settled ON requests (number) WHERE progress = 'settled'",
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
