internal import Glibc

/// The record as the thread has it that writes it: what is there on disk, and what is to be done when that
/// cannot be used any more.
///
/// It fails closed: what cannot be read is not taken for a request that was never made.
final class RecordFile {
  private let path: String
  private let limit: Int
  let age: Int
  private let remark: @Sendable (RecordRemark) -> Void
  let now: @Sendable () -> UInt64
  var record: RequestRecord?
  var identifiers: IdentifierJournal?
  /// Told the fingerprints of names that may be used again.
  var onForgotten: ([UInt64]) -> Void = { _ in }
  private(set) var memory = RecordMemory()
  var isFailing = false
  /// Since when, in microseconds since 1970, requests may have been made that neither file knows; 0 for never.
  var gap: UInt64 = 0
  /// Where the next rows are to be checked; nil when all are.
  var unchecked: UInt64? = 0
  private(set) var names: Set<UInt64> = []
  private static let rowsAtOnce = 500
  /// For how long a writing statement waits for another process, in milliseconds.
  private static let patience: Int32 = 5000
  private static let patienceWhenFailing: Int32 = 50

  init(
    path: String, limit: Int, age: Int, now: @escaping @Sendable () -> UInt64,
    remark: @escaping @Sendable (RecordRemark) -> Void
  ) {
    (self.path, self.limit, self.age, self.now, self.remark) = (path, limit, age, now, remark)
    open()
  }

  private func open() {
    makeFolder()
    let wasThere = unsafe access(path, F_OK) == 0
    identifiers = .open(Self.identifiers(of: path))
    do throws(DatabaseError) {
      let (opened, aside) = try RequestRecord.open(path: path, limit: limit, age: age)
      use(opened)
      memory.read(opened)
      gap = (try? opened.gap()) ?? 0
      if let aside {
        begin(gapAt: now())
        remark(.movedAside(to: aside.path, aside.reason))
      } else if wasThere ? identifiers == nil && !opened.isNew : identifiers != nil {
        begin(gapAt: now())
      }
    } catch {
      failed("\(error)")
    }
    names = identifiers?.known ?? []
    if identifiers == nil { identifiers = .make(Self.identifiers(of: path), []) }
  }

  private func use(_ opened: RequestRecord) {
    record = opened
    opened.patience = Self.patience
  }

  private static func identifiers(of path: String) -> String {
    (path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path) + ".identifiers"
  }

  private func begin(gapAt time: UInt64) {
    gap = time
    try? record?.setGap(time)
  }
}

// MARK: - Writing

extension RecordFile {
  /// - Parameter done: called before what comes after, with the tickets, and whether what they stand for is known to
  ///   the next daemon.
  func perform(
    _ tasks: [RecordTask], done: ([(ticket: UInt64, isWritten: Bool)]) -> Void
  ) {
    var rest = tasks[...]
    while let first = rest.first {
      if case .ask(let question) = first {
        question(self)
        rest.removeFirst()
        continue
      }
      let some = rest.prefix { if case .ask = $0 { false } else { true } }
      rest = rest.dropFirst(some.count)
      let isWritten = write(some)
      done(some.map(\.ticket).filter { $0 > 0 }.map { ($0, isWritten) })
    }
  }

  private func write(_ tasks: ArraySlice<RecordTask>) -> Bool {
    for task in tasks { memory.note(task) }
    lookAtPlace()
    let entries = tasks.flatMap { task -> [RequestEntry] in
      if case .write(let entries, _) = task { entries } else { [] }
    }
    let accepted = entries.compactMap(\.name).flatMap { [$0.fingerprint, $0.ofParts?.fingerprint] }
    let isStored = store(tasks)
    // Not before: when this process is killed between both, the next daemon knows the request from the record. A name
    // that only the identifiers have is that of a request whose record is lost.
    var isKnown = note(
      accepted.compactMap(\.self).filter { names.insert($0).inserted }.map { ($0, .accepted) })
    if isStored {
      forget()
      return true
    }
    memory.couldNotWrite(tasks)
    // The record may say of these that they never left the daemon.
    let delivering = entries.filter { $0.progress == .delivering }.compactMap {
      $0.name?.fingerprint
    }
    isKnown = note(delivering.map { ($0, .delivering) }) && isKnown
    if !isKnown, entries.contains(where: { $0.name != nil }) {
      identifiers?.remove()
      identifiers = nil
    }
    return isKnown
  }

  private func note(_ some: [(fingerprint: UInt64, kind: IdentifierJournal.Kind)]) -> Bool {
    if some.isEmpty { return true }
    if identifiers == nil { identifiers = .make(Self.identifiers(of: path), names) }
    return identifiers?.append(some) ?? false
  }

  /// - Returns: false when the record could not be written.
  private func store(_ tasks: ArraySlice<RecordTask>) -> Bool {
    do throws(DatabaseError) {
      try writeRows(of: tasks)
      return true
    } catch {
      if error.isDamage {
        moveAside(error)
        if (try? writeRows(of: tasks)) != nil { return true }
      }
      failed(error.description)
      return false
    }
  }

  private func writeRows(of tasks: ArraySlice<RecordTask>) throws(DatabaseError) {
    if record == nil { use(try RequestRecord(path: path, limit: limit, age: age)) }
    guard let record else { return }
    let isBack = isFailing && catchUp(record)
    if tasks.count == 1, let only = tasks.first, only.isOneStatement {
      try only.perform(on: record, now: now())
    } else {
      try record.transaction { () throws(DatabaseError) in
        for task in tasks { try task.perform(on: record, now: now()) }
      }
    }
    try record.pruneNowAndThen(now: now())
    if isBack {
      isFailing = false
      record.patience = Self.patience
      remark(.writesAgain)
    }
  }

  /// Takes the names back of the requests that the record has forgotten.
  private func forget() {
    let forgotten = record?.takeForgotten() ?? []
    guard !forgotten.isEmpty else { return }
    names.subtract(forgotten)
    onForgotten(forgotten)
    identifiers?.append(forgotten.map { ($0, .forgotten) })
    compact()
  }

  /// Writes what could not be written before.
  private func catchUp(_ record: RequestRecord) -> Bool {
    do throws(DatabaseError) {
      try record.transaction { () throws(DatabaseError) in
        try memory.write(to: record, now: now())
        if gap > 0 { try record.setGap(gap) }
      }
      memory.wroteAll()
      return true
    } catch {
      return false
    }
  }

  private func compact() {
    guard identifiers?.isWasteful ?? false, identifiers?.arrived.isEmpty ?? false else { return }
    identifiers = .make(Self.identifiers(of: path), names) ?? identifiers
  }

  func failed(_ why: String) {
    if !isFailing { remark(.cannotWrite(why)) }
    isFailing = true
    record?.patience = Self.patienceWhenFailing
  }
}

// MARK: - What is wrong with the files

extension RecordFile {
  /// The files may have been removed, with their folder or without.
  func lookAtPlace() {
    guard let old = record, !old.isInPlace || !(identifiers?.isInPlace ?? true) else { return }
    record = nil
    makeFolder()
    do throws(DatabaseError) {
      let (opened, _) = try RequestRecord.open(path: path, limit: limit, age: age)
      use(opened)
      begin(gapAt: now())
      identifiers = .make(Self.identifiers(of: path), names)
      try memory.write(to: opened, now: now())
      remark(.madeAgain(path))
    } catch {
      failed(error.description)
    }
  }

  /// Begins a new record with what this process knows itself.
  func moveAside(_ reason: DatabaseError) {
    record = nil
    let aside = path + ".damaged"
    unsafe rename(path, aside)
    for rest in ["-wal", "-shm"] { unsafe unlink(path + rest) }
    unchecked = nil
    do throws(DatabaseError) {
      let opened = try RequestRecord(path: path, limit: limit, age: age)
      use(opened)
      begin(gapAt: now())
      try memory.write(to: opened, now: now())
    } catch {
      failed(error.description)
    }
    remark(.movedAside(to: aside, reason))
  }

  private func makeFolder() {
    let names = path.split(separator: "/").dropLast()
    var folder = ""
    for name in names {
      folder += "/" + name
      unsafe mkdir(folder, 0o700)
    }
  }

  /// Reads the file, some of it at a time.
  /// - Returns: false when there is more.
  func checkSome() -> Bool {
    guard let record, let begin = unchecked else { return true }
    do throws(DatabaseError) {
      if begin == 0 { try record.check() }
      let some = try record.named(after: begin, limit: Self.rowsAtOnce)
      let all = some.compactMap(\.name).flatMap { [$0.fingerprint, $0.ofParts?.fingerprint] }
      identifiers?.append(
        all.compactMap(\.self).filter { names.insert($0).inserted }.map { ($0, .accepted) })
      unchecked = some.last.flatMap { some.count < Self.rowsAtOnce ? nil : $0.number }
      return unchecked == nil
    } catch {
      if error.isDamage { moveAside(error) } else { failed(error.description) }
      return true
    }
  }
}
