internal import CSQLite
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
  private let clock: RecordClock
  /// The earliest time of the system's start that the clocks have told daemons since that start, in microseconds
  /// since 1970.
  private var timeOfBoot: Int64
  private(set) var record: RequestRecord?
  private(set) var identifiers: IdentifierJournal?
  /// Called with the fingerprints of names that may be used again.
  var onForgotten: ([UInt64]) -> Void = { _ in }
  private(set) var memory = RecordMemory()
  private var condition = Condition.working
  /// Set while requests may be missing in both files.
  private var gap: RecordGap?
  /// The number of the next row to check; nil when all rows are checked.
  private(set) var unchecked: UInt64? = 0
  private(set) var names: Set<UInt64> = []
  /// The names whose requests may have been delivered, although the record may list them as accepted only.
  private var arrived: Set<UInt64> = []
  /// Whether earlier requests that the record lists as accepted may have been delivered: which of them is not
  /// known, because the journal of that time is lost or is newer than the record.
  private var acceptedAreUnknown = false
  /// Whether the log says that the identifiers cannot be kept.
  private var hasReportedIdentifiers = false
  private static let rowsAtOnce = 500
  /// The time for which a writing statement waits for a lock of another process, in milliseconds. Opens with a
  /// `request-id` wait for the write; after that time the file of identifiers, which has no lock, keeps them.
  private static let patience: Int32 = 1000
  private static let patienceWhenFailing: Int32 = 50

  init(
    path: String, limit: Int, age: Int, sessionFolder: String? = nil,
    clock: RecordClock, remark: @escaping @Sendable (RecordRemark) -> Void
  ) {
    let trace = sessionFolder.map { RecordTrace(in: $0, of: path) }
    extent = Extent(path: path, limit: limit, age: age, trace: trace)
    (self.clock, self.remark, timeOfBoot) = (clock, remark, clock.timeOfBoot)
    open()
  }

  private enum Condition {
    case working
    /// The last write has failed.
    case failing
    /// Another process uses the files. Nothing is read or written any more.
    case left(DatabaseError)
  }

  var isFailing: Bool { if case .working = condition { false } else { true } }

  private var path: String { extent.path }

  /// The time for the age of requests, in microseconds since 1970. When the system clock is set forward, this time
  /// does not jump until the next start of the system, so that no requests are dropped early.
  func now() -> UInt64 {
    let (time, overflows) = timeOfBoot.addingReportingOverflow(Int64(clamping: clock.sinceBoot()))
    return overflows ? clock.now() : min(clock.now(), UInt64(clamping: time))
  }

  private func open() {
    makeFolder()
    let wasThere = unsafe access(path, F_OK) == 0
    let hadIdentifiers = openIdentifiers()
    acceptedAreUnknown = wasThere && identifiers == nil
    do throws(DatabaseError) {
      let (opened, aside) = try RequestRecord.open(
        path: path, limit: extent.limit, age: extent.age)
      use(opened)
      memory.read(opened)
      gap = (try? opened.gap()).flatMap(\.self).map {
        RecordGap(begin: $0.begin, counted: $0.counted, from: clock.sinceBoot())
      }
      if let aside {
        beginGap()
        remark(.movedAside(to: aside.path, aside.reason))
      } else if !wasThere ? hadIdentifiers || isTraced : isOlder(opened) {
        beginGap()
        remark(.lost(path))
        acceptedAreUnknown = true
      } else if wasThere, identifiers == nil || opened.isNew {
        // An empty file has been one with requests.
        beginGap()
      }
    } catch {
      if acceptedAreUnknown || (!wasThere && (hadIdentifiers || isTraced)) { beginGap() }
      failed("\(error)")
    }
    distrustAccepted()
    if identifiers == nil { makeIdentifiers() }
    if case .contents(let contents) = extent.trace?.found {
      // The numbers continue after those of lost requests.
      memory.reserved = max(memory.reserved, contents.lastNumber)
    }
    if record != nil { extent.trace?.make() }
  }

  /// Notes that the requests that the record lists as accepted may have been delivered, if that is unknown.
  private func distrustAccepted() {
    guard acceptedAreUnknown,
      let accepted = reading({ record throws(DatabaseError) in try record.acceptedNames() })
    else { return }
    acceptedAreUnknown = false
    let some = accepted.map(\.fingerprint)
    names.formUnion(some)
    arrived.formUnion(some)
    if let identifiers, !identifiers.append(some.map { ($0, .delivering) }) { removeIdentifiers() }
  }

  /// Whether the request of this name may have been delivered, although the record lists it as accepted.
  func mayHaveArrived(_ name: RequestName) -> Bool {
    acceptedAreUnknown || arrived.contains(name.fingerprint)
  }

  private var isTraced: Bool { extent.trace.map { $0.found != .nothing } ?? false }

  /// Whether requests were written that the record does not have.
  private func isOlder(_ record: RequestRecord) -> Bool {
    guard let trace = extent.trace else { return false }
    return RecordTrace.isNewer(trace.found, than: memory.reserved) {
      (try? record.entry($0))?.version
    }
  }

  /// - Returns: whether there is a file in the place of the journal.
  private func openIdentifiers() -> Bool {
    let file = Self.identifiers(of: path)
    do throws(IdentifierJournalError) {
      guard let (journal, found) = try IdentifierJournal.open(file) else { return false }
      (names, arrived) = (found.known, found.arrived)
      if found.isIncomplete {
        remark(.replacesIdentifiers(path: file, reason: "the file is damaged"))
      } else {
        identifiers = journal
      }
    } catch {
      remark(.replacesIdentifiers(path: file, reason: error.description))
    }
    return true
  }

  /// Makes the journal anew, with all that is known. If that is impossible, no journal is left: its absence
  /// tells the next daemon that requests may be missing.
  private func makeIdentifiers() {
    if case .left = condition { return }
    // The absence must not end before the record tells the same.
    if acceptedAreUnknown || (gap != nil && isFailing) { return removeIdentifiers() }
    let file = Self.identifiers(of: path)
    identifiers = .make(file, names, arrived: arrived)
    if identifiers != nil {
      hasReportedIdentifiers = false
      return
    }
    let reason = unsafe String(cString: strerror(errno))
    removeIdentifiers()
    if !hasReportedIdentifiers, !isFailing {
      hasReportedIdentifiers = true
      remark(.cannotKeepIdentifiers(path: file, reason: reason))
    }
  }

  /// Removes the journal, which is incomplete.
  func removeIdentifiers() {
    unsafe unlink(Self.identifiers(of: path))
    identifiers = nil
  }

  private func use(_ opened: RequestRecord) {
    record = opened
    opened.patience = Self.patience
    guard !clock.boot.isEmpty else { return }
    if let known = try? opened.timeOfBoot(clock.boot), known <= timeOfBoot {
      timeOfBoot = known
    } else {
      try? opened.setTimeOfBoot(timeOfBoot, clock.boot)
    }
  }

  private static func identifiers(of path: String) -> String {
    (path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path) + ".identifiers"
  }

  private func beginGap() {
    let new = RecordGap(begin: now(), from: clock.sinceBoot())
    gap = new
    extent.trace?.forget()
    do throws(DatabaseError) {
      try record?.setGap(new.begin, counted: new.counted)
    } catch {
      failed(error.description)
    }
  }

  /// Whether requests may be missing in both files.
  func hasGap() -> Bool {
    countGap()
    return gap != nil
  }

  /// Counts the time of the gap, and ends the gap when it is over.
  /// - Parameter isLast: whether this process ends.
  func countGap(isLast: Bool = false) {
    guard var counted = gap else { return }
    let isDue = counted.count(until: clock.sinceBoot())
    let isOver = counted.counted >= UInt64(extent.age) * 1_000_000
    gap = isOver ? nil : counted
    guard isDue || isLast || isOver, !isFailing else { return }
    try? record?.setGap(isOver ? 0 : counted.begin, counted: isOver ? 0 : counted.counted)
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
    countGap()
    distrustAccepted()
    let entries = tasks.flatMap { task -> [RequestEntry] in
      if case .write(let entries, _) = task { entries } else { [] }
    }
    // A damaged file of the record may be read as an older state of it, which lists these as accepted only.
    let delivering = entries.filter { $0.progress == .delivering }.compactMap {
      $0.name?.fingerprint
    }
    let taken = entries.filter { $0.progress == .accepted }.compactMap { $0.name?.fingerprint }
      .filter { arrived.contains($0) }
    let accepted = entries.compactMap(\.name).flatMap { [$0.fingerprint, $0.ofParts?.fingerprint] }
    let last = entries.last { $0.name != nil }?.version
    extent.trace?.begin(last)
    let isStored = store(tasks)
    if isStored { extent.trace?.wrote(last, lastNumber: memory.reserved) }
    // The journal is written after the record: if this process is killed between both writes, the next daemon
    // finds the request in the record. A name that is only in the journal means that the record of the
    // request was lost.
    let isKnown = recordIdentifiers(
      accepted.compactMap(\.self).filter { names.insert($0).inserted }.map { ($0, .accepted) }
        + taken.map { ($0, .accepted) } + delivering.map { ($0, .delivering) })
    if !isKnown, identifiers != nil { removeIdentifiers() }
    if isStored {
      forget()
      return (true, true)
    }
    memory.couldNotWrite(tasks)
    return (false, isKnown)
  }

  private func recordIdentifiers(_ some: [(fingerprint: UInt64, kind: IdentifierJournal.Kind)])
    -> Bool
  {
    if some.isEmpty { return true }
    for (fingerprint, kind) in some {
      if kind == .delivering { arrived.insert(fingerprint) } else { arrived.remove(fingerprint) }
    }
    if let identifiers { return identifiers.append(some) }
    makeIdentifiers()
    return identifiers != nil
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
    if case .left(let reason) = condition { throw reason }
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
      condition = .working
      record.patience = Self.patience
      remark(.writesAgain)
    }
  }

  /// Removes the names of requests that the record has dropped.
  private func forget() {
    let forgotten = record?.takeForgotten() ?? []
    guard !forgotten.isEmpty else { return }
    if let last = extent.trace?.last, (try? record?.entry(last.number)) == nil {
      extent.trace?.forget()
    }
    names.subtract(forgotten)
    arrived.subtract(forgotten)
    onForgotten(forgotten)
    identifiers?.append(forgotten.map { ($0, .forgotten) })
    compact()
  }

  /// Writes again the entries whose write has failed.
  private func catchUp(_ record: RequestRecord) -> Bool {
    extent.trace?.forget()
    do throws(DatabaseError) {
      try record.transaction { () throws(DatabaseError) in
        try memory.write(to: record, now: now())
        if let gap { try record.setGap(gap.begin, counted: gap.counted) }
      }
      memory.wroteAll()
      return true
    } catch {
      return false
    }
  }

  private func compact() {
    guard let old = identifiers, old.isWasteful(for: names.count) else { return }
    identifiers = .make(Self.identifiers(of: path), names, arrived: arrived) ?? old
  }

  /// Stops using the files.
  func leave(_ reason: String) {
    failed(reason)
    condition = .left(DatabaseError(code: SQLITE_BUSY, description: reason))
    (record, identifiers) = (nil, nil)
    extent.trace?.end()
  }

  func failed(_ why: String) {
    if !isFailing {
      remark(.cannotWrite(why))
      condition = .failing
    }
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
      beginGap()
      makeIdentifiers()
      try memory.write(to: opened, now: now())
      remark(.madeAgain(path))
    } catch {
      // What is written to a removed file is lost.
      if identifiers?.isInPlace == false { removeIdentifiers() }
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
      beginGap()
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
