internal import Glibc

/// The files of the record, used only by the writing thread. Writes the files, and replaces them when they
/// are damaged, removed or not writable.
///
/// Fails closed: a name that cannot be looked up is not treated as new.
final class RecordFile {
  /// Where the record is, and how much it keeps.
  struct Extent {
    let path: String
    /// Maximum number of requests.
    let limit: Int
    /// Seconds for which a request is kept.
    let age: Int
    /// Shows that a record was made in this login session; nil without a folder of the session.
    let trace: RecordTrace?
  }

  let extent: Extent
  private let remark: @Sendable (RecordRemark) -> Void
  let now: @Sendable () -> UInt64
  private(set) var record: RequestRecord?
  private(set) var identifiers: IdentifierJournal?
  /// Called with the fingerprints of names that may be used again.
  var onForgotten: ([UInt64]) -> Void = { _ in }
  private(set) var memory = RecordMemory()
  private(set) var isFailing = false
  /// The time, in microseconds since 1970, from which requests may be missing in both files; 0 for never.
  private(set) var gap: UInt64 = 0
  /// The number of the next row to check; nil when all rows are checked.
  private(set) var unchecked: UInt64? = 0
  private(set) var names: Set<UInt64> = []
  /// Whether the log says that the identifiers cannot be kept.
  private var hasReportedIdentifiers = false
  private static let rowsAtOnce = 500
  /// The time for which a writing statement waits for a lock of another process, in milliseconds. Opens with a
  /// `request-id` wait for the write; after that time the file of identifiers, which has no lock, keeps them.
  private static let patience: Int32 = 1000
  private static let patienceWhenFailing: Int32 = 50

  init(
    path: String, limit: Int, age: Int, sessionFolder: String? = nil,
    now: @escaping @Sendable () -> UInt64, remark: @escaping @Sendable (RecordRemark) -> Void
  ) {
    let trace = sessionFolder.map { RecordTrace(in: $0, of: path) }
    extent = Extent(path: path, limit: limit, age: age, trace: trace)
    (self.now, self.remark) = (now, remark)
    open()
  }

  private var path: String { extent.path }

  private func open() {
    makeFolder()
    let wasThere = unsafe access(path, F_OK) == 0
    openIdentifiers()
    do throws(DatabaseError) {
      let (opened, aside) = try RequestRecord.open(
        path: path, limit: extent.limit, age: extent.age)
      use(opened)
      memory.read(opened)
      gap = (try? opened.gap()) ?? 0
      if let aside {
        begin(gapAt: now())
        remark(.movedAside(to: aside.path, aside.reason))
      } else if wasThere
        // An empty file has been one with requests.
        ? identifiers == nil || opened.isNew
        : identifiers != nil || extent.trace?.exists == true
      {
        begin(gapAt: now())
      }
      extent.trace?.make()
    } catch {
      failed("\(error)")
    }
    names = identifiers?.known ?? []
    if identifiers == nil { makeIdentifiers([]) }
  }

  private func openIdentifiers() {
    let file = Self.identifiers(of: path)
    do throws(IdentifierJournalError) {
      identifiers = try .open(file)
    } catch {
      remark(.replacesIdentifiers(path: file, reason: error.description))
    }
  }

  private func makeIdentifiers(_ names: Set<UInt64>) {
    let file = Self.identifiers(of: path)
    identifiers = .make(file, names)
    if identifiers != nil {
      hasReportedIdentifiers = false
    } else if !hasReportedIdentifiers, !isFailing {
      hasReportedIdentifiers = true
      remark(
        .cannotKeepIdentifiers(path: file, reason: unsafe String(cString: strerror(errno))))
    }
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
  /// - Parameter done: called before the next tasks, with the tickets, and whether the next daemon will find what each
  ///   wrote.
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
      let written = write(some)
      done(
        some.filter { $0.ticket > 0 }.map { task in
          if case .reserve = task {
            (task.ticket, written.isStored)
          } else {
            (task.ticket, written.isKnown)
          }
        })
    }
  }

  /// - Returns: whether the record has everything, and whether the next daemon will find each request, in the record or by
  ///   its identifier.
  func write(_ tasks: ArraySlice<RecordTask>) -> (isStored: Bool, isKnown: Bool) {
    for task in tasks { memory.record(task) }
    lookAtPlace()
    let entries = tasks.flatMap { task -> [RequestEntry] in
      if case .write(let entries, _) = task { entries } else { [] }
    }
    // A damaged file of the record may be read as an older state of it, which lists these as accepted only.
    let delivering = entries.filter { $0.progress == .delivering }.compactMap {
      $0.name?.fingerprint
    }
    let taken = entries.filter { $0.progress == .accepted }.compactMap { $0.name?.fingerprint }
      .filter { identifiers?.arrived.contains($0) ?? false }
    let accepted = entries.compactMap(\.name).flatMap { [$0.fingerprint, $0.ofParts?.fingerprint] }
    let isStored = store(tasks)
    // The journal is written after the record: if this process is killed between both writes, the next daemon
    // finds the request in the record. A name that is only in the journal means that the record of the
    // request was lost.
    let isKnown = recordIdentifiers(
      accepted.compactMap(\.self).filter { names.insert($0).inserted }.map { ($0, .accepted) }
        + taken.map { ($0, .accepted) } + delivering.map { ($0, .delivering) })
    if isStored {
      forget()
      return (true, true)
    }
    memory.couldNotWrite(tasks)
    if !isKnown, entries.contains(where: { $0.name != nil }) {
      identifiers?.remove()
      identifiers = nil
    }
    return (false, isKnown)
  }

  private func recordIdentifiers(_ some: [(fingerprint: UInt64, kind: IdentifierJournal.Kind)])
    -> Bool
  {
    if some.isEmpty { return true }
    if identifiers == nil { makeIdentifiers(names) }
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
    if record == nil { use(try RequestRecord(path: path, limit: extent.limit, age: extent.age)) }
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

  /// Removes the names of requests that the record has dropped.
  private func forget() {
    let forgotten = record?.takeForgotten() ?? []
    guard !forgotten.isEmpty else { return }
    names.subtract(forgotten)
    onForgotten(forgotten)
    identifiers?.append(forgotten.map { ($0, .forgotten) })
    compact()
  }

  /// Writes again the entries whose write has failed.
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
    guard let old = identifiers, old.isWasteful else { return }
    identifiers = .make(Self.identifiers(of: path), names, arrived: old.arrived) ?? old
  }

  func failed(_ why: String) {
    if !isFailing { remark(.cannotWrite(why)) }
    isFailing = true
    record?.patience = Self.patienceWhenFailing
  }
}

// MARK: - Damaged and removed files

extension RecordFile {
  /// Makes the files again when they, or their folder, were removed.
  func lookAtPlace() {
    guard let old = record, !old.isInPlace || !(identifiers?.isInPlace ?? true) else { return }
    record = nil
    makeFolder()
    do throws(DatabaseError) {
      let (opened, _) = try RequestRecord.open(
        path: path, limit: extent.limit, age: extent.age)
      use(opened)
      begin(gapAt: now())
      makeIdentifiers(names)
      try memory.write(to: opened, now: now())
      remark(.madeAgain(path))
    } catch {
      failed(error.description)
    }
  }

  /// Begins a new record with the entries that are in memory.
  func moveAside(_ reason: DatabaseError) {
    record = nil
    let aside = path + ".damaged"
    unsafe rename(path, aside)
    for rest in ["-wal", "-shm"] { unsafe unlink(path + rest) }
    unchecked = nil
    do throws(DatabaseError) {
      let opened = try RequestRecord(path: path, limit: extent.limit, age: extent.age)
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

  /// Checks some more rows of the file.
  /// - Returns: false when more rows are to be checked.
  func checkSome() -> Bool {
    guard let record, let begin = unchecked else { return true }
    do throws(DatabaseError) {
      if begin == 0 { try record.check() }
      let some = try record.identified(after: begin, limit: Self.rowsAtOnce)
      let all = some.compactMap(\.name).flatMap { [$0.fingerprint, $0.ofParts?.fingerprint] }
      // Also without a journal: the names decide whether a request is new.
      let added = all.compactMap(\.self).filter { names.insert($0).inserted }
      identifiers?.append(added.map { ($0, .accepted) })
      unchecked = some.last.flatMap { some.count < Self.rowsAtOnce ? nil : $0.number }
      return unchecked == nil
    } catch {
      if error.isDamage { moveAside(error) } else { failed(error.description) }
      return true
    }
  }
}
