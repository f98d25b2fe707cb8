internal import CSQLite
internal import Glibc

/// An error of SQLite.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// SQLite's result code, such as 11 for a damaged file.
  package let code: Int32
  package let description: String

  /// The version of a record that another version of this program has made.
  package var otherVersion: Int64?

  init(code: Int32, description: String) {
    self.code = code
    self.description = description
  }

  /// The file is damaged, or is not a database.
  package var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

  static func otherVersion(_ version: Int64) -> DatabaseError {
    var error = DatabaseError(
      code: SQLITE_SCHEMA, description: "it has the form of version \(version) of the record")
    error.otherVersion = version
    return error
  }

  /// A checksum does not match.
  static func damage(_ what: String) -> DatabaseError {
    DatabaseError(code: SQLITE_CORRUPT, description: what)
  }
}

/// An open SQLite database and its prepared statements.
///
/// Statements are constants of this program; values are bound, never interpolated.
@safe final class Database {
  private let handle: OpaquePointer
  private var prepared: [String: OpaquePointer] = unsafe [:]

  /// Opens the file, or makes it with access for its owner alone.
  init(path: String) throws(DatabaseError) {
    // SQLite gives its other files the permissions of this one.
    let made = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    if made >= 0 { close(made) }
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let error = unsafe DatabaseError(
        code: code, description: String(cString: sqlite3_errstr(code)))
      unsafe sqlite3_close(opened)
      throw error
    }
    unsafe handle = unsafe opened
    unsafe sqlite3_busy_timeout(handle, patience)
  }

  deinit {
    while let (_, statement) = unsafe prepared.popFirst() { unsafe sqlite3_finalize(statement) }
    unsafe sqlite3_close(handle)
  }

  enum Parameter {
    case null
    case integer(Int64)
    case text(String)
  }

  /// Runs a statement; `row` is called for each row of the result.
  func run(
    _ sql: String, _ parameters: [Parameter] = [], row: (Row) -> Void = { _ in }
  ) throws(DatabaseError) {
    let statement = unsafe try statement(sql)
    defer {
      unsafe sqlite3_reset(statement)
      unsafe sqlite3_clear_bindings(statement)
    }
    for (index, parameter) in parameters.enumerated() {
      unsafe bind(parameter, to: statement, Int32(index + 1))
    }
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW: row(unsafe Row(statement: statement))
      case SQLITE_DONE: return
      default: throw lastError()
      }
    }
  }

  /// The time for which a statement waits for a lock of another process, in milliseconds.
  var patience: Int32 = 100 {
    didSet { unsafe sqlite3_busy_timeout(handle, patience) }
  }

  /// Checks every page.
  func check() throws(DatabaseError) {
    var problem: String?
    try run("PRAGMA quick_check(1)") { problem = $0.text(0) }
    if let problem, problem != "ok" { throw .damage(problem) }
  }

  /// Runs `body` in a transaction.
  func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try run("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      try body()
      try run("COMMIT")
    } catch {
      try? run("ROLLBACK")
      throw error
    }
  }

  /// The columns of the current row.
  @safe struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    /// Nil for NULL.
    func text(_ column: Int32) -> String? {
      guard let text = unsafe sqlite3_column_text(statement, column) else { return nil }
      return unsafe String(cString: text)
    }
  }

  private func statement(_ sql: String) throws(DatabaseError) -> OpaquePointer {
    if let statement = unsafe prepared[sql] { return unsafe statement }
    var made: OpaquePointer?
    guard
      unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        == SQLITE_OK, let made = unsafe made
    else { throw lastError() }
    unsafe prepared[sql] = unsafe made
    return unsafe made
  }

  private func bind(_ parameter: Parameter, to statement: OpaquePointer, _ index: Int32) {
    switch parameter {
    case .null: unsafe sqlite3_bind_null(statement, index)
    case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
    case .text(let text):
      unsafe csqlite_bind_text(statement, index, text, Int32(clamping: text.utf8.count))
    }
  }

  private func lastError() -> DatabaseError {
    DatabaseError(
      code: unsafe sqlite3_errcode(handle),
      description: unsafe String(cString: sqlite3_errmsg(handle)))
  }
}
