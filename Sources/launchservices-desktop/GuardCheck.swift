internal import Commands
internal import DesktopEntries
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchRules

// Compares the user's mimeapps.list files with what the guard has seen last. Use these functions with the lock.

extension DesktopTask {
  var guardFolder: GuardFolder { GuardFolder(folders) }

  /// The folders with the user's own `mimeapps.list` files.
  var guardedFolders: [String] { [folders.configHome, entriesFolder] }

  /// The files that the guard compares: those that exist, and those that existed.
  private func guardedFiles(_ memory: GuardMemory) -> [String] {
    var files = Set(memory.files.keys)
    for folder in guardedFolders {
      for name in (try? FolderListing(of: folder, isSorted: false))?.names ?? []
      where Self.isGuarded(name) {
        files.insert("\(folder)/\(name)")
      }
    }
    return files.sorted()
  }

  /// The lists in a folder that are symbolic links.
  func guardedLinks(in folder: String) -> [String] {
    ((try? FolderListing(of: folder, isSorted: false))?.links ?? []).filter(Self.isGuarded)
      .map { "\(folder)/\($0)" }
  }

  static func isGuarded(_ name: String) -> Bool {
    name.hasSuffix("mimeapps.list") || name == "defaults.list"
  }

  /// Makes the present contents those that the guard compares with.
  func takeGuardSnapshot() throws(CommandFailure) {
    var memory = try guardFolder.memory() ?? GuardMemory()
    let files = guardedFiles(memory)
    memory.files = [:]
    memory.tooLarge = nil
    memory.readable = nil
    for file in files {
      let present = try contents(file, besides: memory)
      memory.setKind(nil, inPlaceOf: file)
      memory.setPending(file, nil)
      memory.setLink(GuardMemory.Link(at: file), at: file)
      if present == .tooLarge {
        memory.setTooLarge(file, true)
        complain("\(file) is too large to compare, so the guard does not see its changes")
      } else if case .other(let kind) = present {
        memory.setKind(kind, inPlaceOf: file)
        complain("\(file) is \(kind): the guard has no defaults to keep there")
      } else {
        memory.files[file] = present.bytes.map { Data($0) }
      }
    }
    try guardFolder.write(memory)
  }

  /// Writes a list, which is no change of another program for the guard. When that fails, the guard compares with the same
  /// contents as before.
  func writeAsOwn(
    _ file: String, from before: [UInt8]?, to bytes: [UInt8]?,
    _ write: () throws(FileError) -> Void
  ) throws(CommandFailure) {
    let known = try guardFolder.memory()
    try recordOwnWrite(of: file, from: before, to: bytes)
    do throws(FileError) {
      try write()
    } catch {
      do throws(CommandFailure) {
        if let known { try guardFolder.write(known) }
      } catch {
        complain(error.reason)
      }
      throw CommandFailure(.failed, error.description)
    }
    try recordEndOfOwnWrite(of: file)
  }

  /// Tells the guard about contents that this program writes now: they are no change of another program.
  func recordOwnWrite(
    of file: String, from before: [UInt8]?, to bytes: [UInt8]?
  ) throws(CommandFailure) {
    guard var memory = try guardFolder.memory() else { return }
    beginOwnWrite(of: file, from: before, to: bytes, &memory)
    try guardFolder.write(memory)
  }

  /// The contents that this program writes are those to compare with. Changes that wait until they are taken back stay
  /// changes: only the edit of this program counts as known.
  /// - Parameter before: what is at the path now; nil for no file, and for what is no file.
  func beginOwnWrite(
    of file: String, from before: [UInt8]?, to bytes: [UInt8]?, _ memory: inout GuardMemory
  ) {
    for path in GuardedPaths(guardedFiles(memory), memory).all(of: file) {
      let known = memory.files[path].map(Array.init)
      if memory.attribution(of: path) != .init(),
        let edited = EditedAssociations.editing(known ?? [], asFrom: before ?? [], to: bytes ?? [])
      {
        memory.files[path] = Data(edited)
      } else {
        memory.files[path] = bytes.map { Data($0) }
        memory.setPending(path, nil)
      }
      memory.beginOwnWrite(of: path)
    }
  }

  /// Tells the guard that the contents are written: later writes are those of other programs.
  func recordEndOfOwnWrite(of file: String) throws(CommandFailure) {
    guard var memory = try guardFolder.memory() else { return }
    endOwnWrite(of: file, &memory)
    try guardFolder.write(memory)
  }

  func endOwnWrite(of file: String, _ memory: inout GuardMemory) {
    let time = Time.microsecondsSinceBoot()
    for path in GuardedPaths(guardedFiles(memory), memory).all(of: file) {
      memory.endOwnWrite(of: path, at: time)
    }
  }

  /// Records each changed file, and takes back what the rule says.
  /// - Parameter observed: what is known about the changes, and about the processes that may have made them.
  func checkDefaults(
    _ policy: DefaultsGuardPolicy, _ observed: ObservedWrites
  ) throws(CommandFailure) -> GuardCheck {
    var check = GuardCheck()
    guard var memory = try guardFolder.memory() else { return check }
    let paths = GuardedPaths(guardedFiles(memory), memory)
    let known = memory.files.filter { paths.compared.contains($0.key) }
    for file in paths.compared {
      let (earlier, recorded) = (memory, check.records.count)
      do throws(CommandFailure) {
        try checkDefaults(file, policy, observed, known, &memory, &check)
        try remember(file, at: paths.others(of: file), &memory)
      } catch {
        // The comparison is repeated, with the same numbers of the records.
        memory = earlier
        check.records.removeSubrange(recorded...)
        check.failures[file] = error.reason
      }
    }
    // What is repeated needs the times.
    if memory.forgetOwnWrites(besides: Set(check.failures.keys)) { try guardFolder.write(memory) }
    return check
  }

  private func checkDefaults(
    _ file: String, _ policy: DefaultsGuardPolicy, _ observed: ObservedWrites,
    _ known: [String: Data], _ memory: inout GuardMemory, _ check: inout GuardCheck
  ) throws(CommandFailure) {
    let present = try contents(file, besides: memory)
    let writes = observed.writes(of: file, until: present, after: memory.ownWrite(of: file))
    // GIO ignores what follows the last contents that it can read: the list was as it was before that.
    let lastRead = writes.lastIndex { $0.contents.isKeyFile }
    // What is no file, or too large, is no removed list.
    let read = writes[..<((lastRead ?? -1) + 1)].filter(\.contents.isComparable)
    let rest = Array(writes[((lastRead ?? -1) + 1)...])
    if rest.isEmpty {
      try checkRead(file, present, policy, read, known, &memory, &check)
    } else {
      try settle(file, policy, read, known, &memory, &check)
      try checkUnread(file, present, policy, rest, &memory, &check)
    }
    // A link with contents that are not accepted is another program's.
    if case .file(let bytes) = present, memory.files[file] == Data(bytes) {
      try remember(linkAt: file, &memory)
    }
  }

  /// Remembers to what the user's symbolic link leads: a list that is restored goes there.
  private func remember(
    linkAt file: String, _ memory: inout GuardMemory
  ) throws(CommandFailure) {
    let link = GuardMemory.Link(at: file)
    guard link != memory.link(at: file) else { return }
    memory.setLink(link, at: file)
    try guardFolder.write(memory)
  }

  /// Remembers the contents of a list at its other paths, too: one of them may become a file of its own.
  private func remember(
    _ file: String, at others: [String], _ memory: inout GuardMemory
  ) throws(CommandFailure) {
    let different = others.filter { memory.files[$0] != memory.files[file] }
    guard !different.isEmpty else { return }
    for path in different { memory.files[path] = memory.files[file] }
    try guardFolder.write(memory)
  }

  /// Whether one of the writes has changed a list.
  private static func isChange(_ writes: [ObservedWrites.Write], from before: [UInt8]?) -> Bool {
    writes.contains { $0.contents.bytes != before }
  }

  /// Compares a list that GIO can read.
  private func checkRead(
    _ file: String, _ present: ListContents, _ policy: DefaultsGuardPolicy,
    _ writes: [ObservedWrites.Write], _ known: [String: Data], _ memory: inout GuardMemory,
    _ check: inout GuardCheck
  ) throws(CommandFailure) {
    let (before, after) = (memory.files[file].map(Array.init), present.bytes)
    // Also a list that is again as it was: the user's choice may have been between.
    guard Self.isChange(writes, from: before) else {
      // The file is again as it was before it was too large, or no file, or before the changes that wait.
      guard
        memory.isTooLarge(file) || memory.kind(inPlaceOf: file) != nil
          || memory.attribution(of: file) != .init()
      else { return }
      memory.setTooLarge(file, false)
      memory.setKind(nil, inPlaceOf: file)
      memory.setPending(file, nil)
      return try guardFolder.write(memory)
    }
    guard let comparison = compare(file, writes, policy, memory, known) else {
      return try record(unread: file, after: after, writes, &memory, &check)
    }
    let wait = try RecentChanges(guardFolder, memory).delay(
      of: comparison.rest.takenBack.map(\.change))
    if wait > 0 {
      // The contents to compare with stay, so that all changes are taken back then.
      complain(
        "\(file): changes were taken back \(RestorePace.mostPerMinute) times in a minute; the next"
          + " ones are taken back in \(wait / 1_000_000 + 1) s")
      check.retryAfter = max(check.retryAfter, wait)
      return try postpone(comparison, of: file, writes, &memory, &check)
    }
    let earlier = memory
    let failed = try failedRecord(of: file, after, memory)
    let records = makeRecords(comparison, of: file, writes, failed, &memory)
    finish(file, with: comparison.result, &memory)
    for record in records { try guardFolder.write(record) }
    try guardFolder.write(memory)
    // What changes now is compared with `result` next time.
    if comparison.result != after {
      let failure: CommandFailure?
      do throws(CommandFailure) {
        if try writeList(comparison.result, to: file, insteadOf: present, memory) {
          check.records += records
          return
        }
        failure = nil
      } catch {
        failure = error
      }
      for record in records where record.number != failed?.number {
        guardFolder.remove(record.number)
      }
      memory = earlier
      if let failure {
        return try write(
          failed: comparison, of: file, writes, failed, because: failure, &memory, &check)
      }
      // Another program has just written the list, with what was to be taken back or without.
      if let failed { try guardFolder.write(failed) }
      check.retryAfter = max(check.retryAfter, Self.shortPause)
      return try postpone(comparison, of: file, writes, &memory, &check)
    }
    check.records += records
  }

  /// The contents with which the next ones are compared.
  private func finish(_ file: String, with contents: [UInt8]?, _ memory: inout GuardMemory) {
    memory.files[file] = contents.map { Data($0) }
    memory.readable?[file] = nil
    memory.setTooLarge(file, false)
    memory.setKind(nil, inPlaceOf: file)
    memory.setPending(file, nil)
  }

  /// Records the writes before contents that GIO does not read. Nothing is written: what is taken back is not in the list any
  /// more.
  private func settle(
    _ file: String, _ policy: DefaultsGuardPolicy, _ writes: [ObservedWrites.Write],
    _ known: [String: Data], _ memory: inout GuardMemory, _ check: inout GuardCheck
  ) throws(CommandFailure) {
    guard Self.isChange(writes, from: memory.files[file].map(Array.init)),
      let comparison = compare(file, writes, policy, memory, known)
    else { return }
    var records = makeRecords(comparison, of: file, writes, nil, &memory)
    for index in records.indices where !records[index].takenBack.isEmpty {
      records[index].isReplacedSince = true
    }
    finish(file, with: comparison.result, &memory)
    for record in records { try guardFolder.write(record) }
    try guardFolder.write(memory)
    check.records += records
  }

  /// Records what GIO does not read in the place of a list.
  private func checkUnread(
    _ file: String, _ present: ListContents, _ policy: DefaultsGuardPolicy,
    _ writes: [ObservedWrites.Write], _ memory: inout GuardMemory, _ check: inout GuardCheck
  ) throws(CommandFailure) {
    switch present {
    case .tooLarge:
      guard !memory.isTooLarge(file) else { return }
      memory.setTooLarge(file, true)
      let before = memory.files[file].map(Array.init)
      var record = newRecord(of: file, before: before, writes.map(\.witness), &memory)
      record.isTooLarge = true
      try write(record, memory)
      check.records.append(record)
    case .other(let kind):
      try checkReplaced(file, by: kind, policy, writes, &memory, &check)
    case .none, .file:
      guard memory.files[file].map(Array.init) != present.bytes else { return }
      try record(unread: file, after: present.bytes, writes, &memory, &check)
    }
  }

  /// Records contents that cannot be compared, because they, or those before, are no key file.
  private func record(
    unread file: String, after: [UInt8]?, _ writes: [ObservedWrites.Write],
    _ memory: inout GuardMemory, _ check: inout GuardCheck
  ) throws(CommandFailure) {
    let before = memory.files[file].map(Array.init)
    let readable = memory.readable?[file].map(Array.init) ?? before
    var record = newRecord(of: file, before: before, writes.map(\.witness), &memory)
    record.after = after.map { Data($0) }
    record.result = record.after
    finish(file, with: after, &memory)
    // What follows is compared with the contents before those that are no key file.
    if (try? EditedAssociations(readable ?? [])) != nil {
      memory.readable = memory.readable ?? [:]
      memory.readable?[file] = readable.map { Data($0) }
    }
    try write(record, memory)
    check.records.append(record)
  }

  /// Records the changes up to the user's last choice, with which the rest is compared later.
  private func postpone(
    _ comparison: AssociationComparison, of file: String, _ writes: [ObservedWrites.Write],
    _ memory: inout GuardMemory, _ check: inout GuardCheck
  ) throws(CommandFailure) {
    let rest = comparison.rest
    if rest.settled > 0 {
      let records = makeRecords(comparison, of: file, writes, nil, &memory, isSettling: true)
      finish(file, with: rest.before, &memory)
      for record in records { try guardFolder.write(record) }
      check.records += records
    }
    memory.setPending(file, rest.attribution)
    try guardFolder.write(memory)
  }

  /// Records what is in the place of a list, and puts the list back.
  private func checkReplaced(
    _ file: String, by kind: String, _ policy: DefaultsGuardPolicy,
    _ writes: [ObservedWrites.Write], _ memory: inout GuardMemory, _ check: inout GuardCheck
  ) throws(CommandFailure) {
    guard memory.kind(inPlaceOf: file) != kind else { return }
    let before = memory.files[file].map(Array.init)
    var choosers: Set<UserChoiceRule.Chooser> = []
    for write in writes { choosers.formUnion(write.witness.choosers) }
    let isPutBack = policy == .restore && !UserChoiceRule.isOfAllLines(choosers)
    if isPutBack {
      let wait = try RecentChanges(guardFolder, memory).delay(ofPuttingBack: file)
      if wait > 0 {
        complain(
          "\(file) was put back \(RestorePace.mostPerMinute) times in a minute; it is put back again in"
            + " \(wait / 1_000_000 + 1) s")
        check.retryAfter = max(check.retryAfter, wait)
        return
      }
    }
    memory.setKind(isPutBack ? nil : kind, inPlaceOf: file)
    var record = newRecord(of: file, before: before, writes.map(\.witness), &memory)
    record.replacedBy = kind
    record.result = isPutBack ? record.before : nil
    record.isPutBack = isPutBack ? true : nil
    try write(record, memory)
    if isPutBack {
      do throws(CommandFailure) {
        if try !writeList(before, to: file, insteadOf: .other(kind), memory) {
          // A new list, which is compared next time.
          record.isPutBack = nil
          record.isReplacedSince = true
          record.result = nil
          try guardFolder.write(record)
          check.retryAfter = max(check.retryAfter, Self.shortPause)
        }
      } catch {
        complain("change \(record.number) could not be taken back: \(error.reason)")
        record.isPutBack = nil
        record.failures = 1
        memory.setKind(kind, inPlaceOf: file)
        try write(record, memory)
      }
    }
    check.records.append(record)
  }

  /// Until a list is compared that has just changed, in microseconds.
  private static let shortPause: UInt64 = 100_000

  private func compare(
    _ file: String, _ writes: [ObservedWrites.Write], _ policy: DefaultsGuardPolicy,
    _ memory: GuardMemory, _ known: [String: Data]
  ) -> AssociationComparison? {
    let others = known.filter { $0.key != file }.values
      .compactMap { try? EditedAssociations(Array($0)).associations }
    let readable = memory.readable?[file] ?? memory.files[file]
    var installed: DefaultsGuardRule.Installed?
    return AssociationComparison(
      of: readable.map(Array.init),
      writes.map { .init(contents: $0.contents.bytes, choosers: $0.witness.choosers) },
      known: memory.attribution(of: file)
    ) { changes, list in
      guard policy == .restore else { return [] }
      let applications = installed ?? self.installed()
      installed = applications
      return memory.rule.restored(changes, in: others + [list], applications)
    }
  }

  /// A record for each write that has changed something.
  /// - Parameters:
  ///   - failed: the record of these contents, which could not be taken back before.
  ///   - isSettling: true to leave out the changes that are to be taken back, and those after the user's last choice.
  private func makeRecords(
    _ comparison: AssociationComparison, of file: String, _ writes: [ObservedWrites.Write],
    _ failed: GuardRecord?, _ memory: inout GuardMemory, isSettling: Bool = false
  ) -> [GuardRecord] {
    var records: [GuardRecord] = []
    let before = memory.files[file].map(Array.init)
    let first = comparison.steps.first?.write
    let count = isSettling ? comparison.rest.settled : comparison.steps.count
    for step in comparison.steps.prefix(count) {
      // Contents that were no key file are replaced by the first step.
      let contents = step.write == first ? before : step.before
      let after = isSettling ? step.result : step.after
      guard contents != after || comparison.steps.count == 1 else { continue }
      var record: GuardRecord
      if let failed, comparison.steps.count == 1 {
        record = failed
        record.notTakenBack = nil
      } else {
        record = newRecord(of: file, before: contents, [writes[step.write].witness], &memory)
      }
      record.after = after.map { Data($0) }
      record.result = step.result.map { Data($0) }
      let takenBack = Set(step.takenBack.map(\.change))
      let chosen = Set(step.chosen)
      record.changes = isSettling ? step.changes.filter { !takenBack.contains($0) } : step.changes
      if !record.changes.isEmpty {
        record.isByUser = record.changes.allSatisfy(chosen.contains) ? true : nil
      }
      record.takenBack =
        isSettling ? [] : step.takenBack.map { .init(change: $0.change, reason: $0.reason) }
      for change in record.changes {
        guard let application = change.newDefault else { continue }
        let undone = DefaultsGuardRule.Undone(type: change.type, application: application)
        if takenBack.contains(change) {
          memory.undone.insert(undone)
        } else if chosen.contains(change) {
          memory.undone.remove(undone)
        }
      }
      records.append(record)
    }
    return records
  }

  /// The file has the contents after the changes, and is compared again with those of the user's last choice.
  /// - Parameter earlier: the record of these contents, which could not be taken back before.
  private func write(
    failed comparison: AssociationComparison, of file: String, _ writes: [ObservedWrites.Write],
    _ earlier: GuardRecord?, because error: CommandFailure, _ memory: inout GuardMemory,
    _ check: inout GuardCheck
  ) throws(CommandFailure) {
    try postpone(comparison, of: file, writes, &memory, &check)
    let rest = comparison.rest
    var record: GuardRecord
    if let earlier, rest.settled == 0 {
      record = earlier
    } else {
      record = newRecord(of: file, before: rest.before, writes.map(\.witness), &memory)
    }
    complain("change \(record.number) could not be taken back: \(error.reason)")
    record.isByUser = nil
    record.notTakenBack = rest.takenBack.map { .init(change: $0.change, reason: $0.reason) }
    record.takenBack = []
    record.changes = rest.changes
    record.after = writes.last?.contents.bytes.map { Data($0) }
    record.result = record.after
    record.failures = (record.failures ?? 0) + 1
    try write(record, memory)
    if record.failures == 1 { check.records.append(record) }
    let delay = RestorePace.delay(afterFailures: record.failures ?? 1) ?? 0
    check.retryAfter = max(check.retryAfter, delay)
  }

  /// The record of the present contents, which the guard could not take back before.
  private func failedRecord(
    of file: String, _ after: [UInt8]?, _ memory: GuardMemory
  ) throws(CommandFailure) -> GuardRecord? {
    var number = memory.last
    while number > 0, number > memory.last - Self.mostRecent {
      if let record = try guardFolder.record(number), record.file == file {
        let isSame = record.notTakenBack != nil && !record.isUndone
        return isSame && record.after.map(Array.init) == after ? record : nil
      }
      number -= 1
    }
    return nil
  }

  private func write(_ record: GuardRecord, _ memory: GuardMemory) throws(CommandFailure) {
    try guardFolder.write(record)
    try guardFolder.write(memory)
  }

  /// A record without contents after the change.
  private func newRecord(
    of file: String, before: [UInt8]?, _ witnesses: [ProcessWitness], _ memory: inout GuardMemory
  ) -> GuardRecord {
    memory.last += 1
    var all = ProcessWitness()
    for witness in witnesses { all.add(witness) }
    return GuardRecord(
      number: memory.last, time: time(of: file), file: file, before: before.map { Data($0) },
      processes: all.texts, isByUser: UserChoiceRule.isOfAllLines(all.choosers) ? true : nil,
      seen: UInt64(clamping: Time.wallClockNanoseconds() / 1000))
  }

  private func installed() -> DefaultsGuardRule.Installed {
    let entries = DesktopFolders(folders).entries()
    let identifiers = entries.identifiers
    // An entry that another program has made unreadable does not give away the defaults of its application.
    let unread = Set(entries.unreadIdentifiers)
    if fifo != nil {
      // Nothing can be known about the entries, so that more is taken back.
      return .init(
        declares: { _, _ in false }, contains: { identifiers.contains($0) || unread.contains($0) },
        hasOther: { _, _ in true })
    }
    let declared = DeclaredTypes(of: identifiers)
    return .init(
      declares: { declared.applications(of: $1).contains($0) },
      contains: { declared.contains($0) || unread.contains($0) },
      hasOther: { application, type in
        declared.applications(of: type).contains { $0 != application }
      })
  }

  /// Maximum number of recorded changes that are read to find one.
  static let mostRecent = 64

  private func time(of file: String) -> UInt64 {
    // The target of a link may be older than the link.
    let stamp = isSymbolicLink(file) ? nil : try? FileStamp(path: file)
    return UInt64(clamping: (stamp?.changed ?? Time.wallClockNanoseconds()) / 1000)
  }

  /// Maximum size of a guarded file, in bytes: each recorded change keeps its contents. Real files have some KiB.
  static let largestGuarded = 4 << 20
  /// Maximum size of all guarded files together, in bytes.
  private static let largestTogether = 16 << 20

  /// - Parameter memory: with the contents of the other files.
  private func contents(
    _ file: String, besides memory: GuardMemory
  ) throws(CommandFailure) -> ListContents {
    let others = memory.files.reduce(0) { $0 + ($1.key == file ? 0 : $1.value.count) }
    return try listContents(
      file, atMost: min(Self.largestGuarded, max(0, Self.largestTogether - others)))
  }

  /// - Parameter limit: in bytes.
  func listContents(
    _ file: String, atMost limit: Int = largestGuarded
  ) throws(CommandFailure) -> ListContents {
    do throws(FileError) {
      return try read(file, atMost: limit).map { .file($0) } ?? .none
    } catch {
      if case .tooLarge = error.problem { return .tooLarge }
      if let kind = RegularFile.kind(of: error) { return .other(kind) }
      throw CommandFailure(.failed, "\(error); the guard leaves this file alone")
    }
  }

  /// Nil when the file does not exist.
  func contents(_ file: String) throws(CommandFailure) -> [UInt8]? {
    do throws(FileError) {
      return try read(file, atMost: Self.largestGuarded)
    } catch {
      throw CommandFailure(.failed, "\(error); the guard leaves this file alone")
    }
  }

  /// Replaces what is in the place of a list. What comes there in the meantime stays.
  /// - Parameters:
  ///   - bytes: nil to remove the file.
  ///   - seen: what is replaced.
  /// - Returns: false when something else is there, which stays as it is.
  func writeList(
    _ bytes: [UInt8]?, to file: String, insteadOf seen: ListContents, _ memory: GuardMemory
  ) throws(CommandFailure) -> Bool {
    guard try listContents(file) == seen else { return false }
    let target = try target(of: file, insteadOf: seen, memory)
    do throws(FileError) {
      if isRegularFile(target) {
        guard let bytes else {
          try AtomicFile.remove(target)
          return true
        }
        let mode = permissions(of: target).flatMap { $0 & 0o400 == 0 ? nil : $0 }
        return try AtomicFile.replace(target, with: bytes, mode: mode ?? 0o644) {
          (try? listContents(file)) == seen
        }
      }
      try AtomicFile.removeUnlessFile(target)
      return try bytes.map { bytes throws(FileError) in
        try AtomicFile.create(bytes, at: target, mode: 0o644)
      } ?? true
    } catch {
      throw CommandFailure(
        .failed,
        error.errno == Errno(ENOTEMPTY)
          ? "\(target) is a folder with files, which the guard does not remove: move the folder away, then"
            + " 'lsregister guard undo' with the number of the change puts the list back"
          : error.description)
    }
  }

  /// The path at which a list is written: the place to which the user's symbolic link leads. A link of another program is
  /// replaced, and its target stays. Fails when the folder of the place is missing, or another one without a list: its file
  /// system may be mounted later.
  private func target(
    of file: String, insteadOf seen: ListContents, _ memory: GuardMemory
  ) throws(CommandFailure) -> String {
    guard let known = memory.link(at: file), SymbolicLink.target(of: file) == known.target else {
      return file
    }
    guard known.hasFolder else {
      throw CommandFailure(
        .failed,
        "the folder of \(known.place), to which \(file) leads, is missing: mount the file system, or"
          + " correct the link")
    }
    if let place = SymbolicLink.place(of: file), place != known.place {
      throw CommandFailure(
        .failed,
        "\(file) is a symbolic link, which leads to \(place) now, and led to \(known.place) before:"
          + " correct the links, then 'lsregister guard undo' with the number of the change puts the list back"
      )
    }
    // A file system that is mounted again may have other numbers; a mount point without one has no list.
    guard seen != .none || known.hasSameFolder else {
      throw CommandFailure(
        .failed,
        "the folder of \(known.place), to which \(file) leads, is another one than before, without the list:"
          + " mount the file system, or correct the link")
    }
    return known.place
  }
}

/// The guarded paths by the lists to which they lead. A list with several paths is compared once: the events of its writes
/// come under one path only.
struct GuardedPaths {
  /// The paths under which the lists are compared, sorted.
  private(set) var compared: [String] = []
  /// Other paths of lists, with those under which the lists are compared.
  private var names: [String: String] = [:]

  /// A path is another one of a list when the link there is the user's: the link of another program is a change.
  init(_ files: [String], _ memory: GuardMemory) {
    var byPlace: [String: String] = [:]
    let links = files.filter { SymbolicLink.target(of: $0) != nil }
    let isLink = Set(links)
    for file in files where !isLink.contains(file) {
      guard let place = SymbolicLink.placeOfFile(file) else {
        compared.append(file)
        continue
      }
      add(file, at: place, &byPlace)
    }
    for file in links {
      guard let link = GuardMemory.Link(at: file), link.isAlike(memory.link(at: file)) else {
        compared.append(file)
        continue
      }
      add(file, at: link.place, &byPlace)
    }
    compared.sort()
  }

  private mutating func add(_ file: String, at place: String, _ byPlace: inout [String: String]) {
    if let known = byPlace[place] {
      names[file] = known
    } else {
      byPlace[place] = file
      compared.append(file)
    }
  }

  /// - Parameter file: a path under which a list is compared.
  func others(of file: String) -> [String] { names.filter { $0.value == file }.map(\.key) }

  /// All paths of the list at a path.
  func all(of file: String) -> [String] {
    let name = names[file] ?? file
    return [name] + others(of: name)
  }
}

/// The changes that the guard has recorded in the last minute.
struct RecentChanges {
  /// When changes of a line were taken back, in microseconds.
  private var lines: [[String]: [UInt64]] = [:]
  /// When a list was put back, in microseconds.
  private var lists: [String: [UInt64]] = [:]
  /// In microseconds.
  private let now = UInt64(clamping: Time.wallClockNanoseconds() / 1000)

  init(_ folder: GuardFolder, _ memory: GuardMemory) throws(CommandFailure) {
    var number = memory.last
    while number > 0, number > memory.last - DesktopTask.mostRecent,
      let record = try folder.record(number), now < record.timeSeen + RestorePace.minute
    {
      for line in Set(record.takenBack.map { Self.line($0.change) }) {
        lines[line, default: []].append(record.timeSeen)
      }
      if record.isPutBack == true { lists[record.file, default: []].append(record.timeSeen) }
      number -= 1
    }
  }

  private static func line(_ change: AssociationChange) -> [String] { [change.group, change.type] }

  /// The time until all of some changes may be taken back, in microseconds; 0 for now.
  func delay(of changes: [AssociationChange]) -> UInt64 {
    changes.map { RestorePace.delay(after: lines[Self.line($0)] ?? [], now: now) }.max() ?? 0
  }

  /// The time until a list may be put back, in microseconds; 0 for now.
  func delay(ofPuttingBack file: String) -> UInt64 {
    RestorePace.delay(after: lists[file] ?? [], now: now)
  }
}

/// The result of one comparison of all guarded files.
struct GuardCheck {
  var records: [GuardRecord] = []
  /// The time until changes may be taken back that wait because there were too many, in microseconds; 0 for none.
  var retryAfter: UInt64 = 0
  /// The lists that could not be compared, or whose changes could not be recorded, with the reasons: what was observed of
  /// them is needed again.
  var failures: [String: String] = [:]
}
