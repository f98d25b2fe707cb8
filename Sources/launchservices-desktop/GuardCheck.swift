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
      where name.hasSuffix("mimeapps.list") || name == "defaults.list" {
        files.insert("\(folder)/\(name)")
      }
    }
    return files.sorted()
  }

  /// Makes the present contents those that the guard compares with.
  func takeGuardSnapshot() throws(CommandFailure) {
    var memory = try guardFolder.memory() ?? GuardMemory()
    let files = guardedFiles(memory)
    memory.files = [:]
    memory.tooLarge = nil
    for file in files {
      let present = try contents(file, besides: memory)
      if present.isTooLarge {
        memory.setTooLarge(file, true)
        complain("\(file) is too large to compare, so the guard does not see its changes")
      } else {
        memory.files[file] = present.bytes.map { Data($0) }
      }
    }
    try guardFolder.write(memory)
  }

  /// Tells the guard about contents that this program writes now: they are no change of another program.
  func recordOwnWrite(of file: String, _ bytes: [UInt8]?) throws(CommandFailure) {
    guard var memory = try guardFolder.memory() else { return }
    memory.files[file] = bytes.map { Data($0) }
    try guardFolder.write(memory)
  }

  /// Records each changed file, and takes back what the rule says.
  /// - Parameter writers: what is known about the processes that may have made the changes.
  func checkDefaults(
    _ policy: DefaultsGuardPolicy, _ writers: ProcessWitness
  ) throws(CommandFailure) -> GuardCheck {
    var check = GuardCheck()
    guard var memory = try guardFolder.memory() else { return check }
    let known = memory.files
    for file in guardedFiles(memory) {
      do throws(CommandFailure) {
        try checkDefaults(file, policy, writers, known, &memory, &check)
      } catch {
        complain(error.reason)
      }
    }
    return check
  }

  private func checkDefaults(
    _ file: String, _ policy: DefaultsGuardPolicy, _ writers: ProcessWitness,
    _ known: [String: Data], _ memory: inout GuardMemory, _ check: inout GuardCheck
  ) throws(CommandFailure) {
    let before = memory.files[file].map(Array.init)
    let present = try contents(file, besides: memory)
    if present.isTooLarge {
      guard !memory.isTooLarge(file) else { return }
      memory.setTooLarge(file, true)
      let record = newRecord(of: file, before: before, writers, &memory)
      try write(record, memory)
      return check.records.append(record)
    }
    let after = present.bytes
    guard after != before else {
      // The file is again as it was before it was too large.
      guard memory.isTooLarge(file) else { return }
      memory.setTooLarge(file, false)
      return try guardFolder.write(memory)
    }
    var changes: [AssociationChange] = []
    var isByUser = UserChoiceRule.isChosenByUser(writers.choosers, changing: [])
    var takenBack: [GuardRecord.TakenBack] = []
    var result = after
    // GIO ignores a file that is no key file. What follows is compared with the contents before that.
    let readable = memory.readable?[file].map(Array.init) ?? before
    let old = try? EditedAssociations(readable ?? [])
    let new = try? EditedAssociations(after ?? [])
    let hidesReadable = new == nil && old != nil
    if let old, var new {
      changes = old.associations.changes(to: new.associations)
      isByUser = UserChoiceRule.isChosenByUser(writers.choosers, changing: changes.map(\.type))
      // Another writer of the file, or another order or blank lines, change no association.
      // The user has not made what was seen before the user's choice, and the other way round.
      let pending = memory.pending?[file] ?? .init()
      let judged = changes.filter {
        isByUser ? pending.others.contains($0) : !pending.chosen.contains($0)
      }
      if policy == .restore, !judged.isEmpty {
        var contents = known
        contents[file] = readable.map { Data($0) }
        let lists = contents.values.compactMap { try? EditedAssociations(Array($0)).associations }
        let found = memory.rule.restored(judged, in: lists, installed())
        var wait: UInt64 = 0
        for (change, _) in found { wait = max(wait, try delay(of: change, memory)) }
        if wait > 0 {
          // The contents to compare with stay, so that all changes are taken back then.
          complain(
            "\(file): changes were taken back \(RestorePace.mostPerMinute) times in a minute; the next"
              + " ones are taken back in \(wait / 1_000_000 + 1) s")
          check.retryAfter = max(check.retryAfter, wait)
          memory.pending = memory.pending ?? [:]
          memory.pending?[file] = .init(
            others: judged, chosen: changes.filter { !judged.contains($0) })
          return try guardFolder.write(memory)
        }
        for (change, reason) in found where new.takeBack(change) {
          takenBack.append(.init(change: change, reason: reason))
        }
        if !takenBack.isEmpty {
          result = takenBack.count == changes.count ? readable : new.bytes
        }
      }
    }
    memory.setTooLarge(file, false)
    let earlier = memory
    memory.pending?[file] = nil
    memory.readable = memory.readable ?? [:]
    memory.readable?[file] = hidesReadable ? readable.map { Data($0) } : nil
    var record: GuardRecord
    if let failed = try failedRecord(of: file, after, memory) {
      record = failed
      record.notTakenBack = nil
    } else {
      record = newRecord(of: file, before: before, writers, &memory)
    }
    record.after = after.map { Data($0) }
    record.changes = changes
    record.isByUser = isByUser ? true : nil
    record.takenBack = takenBack
    record.result = result.map { Data($0) }
    memory.files[file] = record.result
    for change in changes {
      guard let application = change.newDefault else { continue }
      let undone = DefaultsGuardRule.Undone(type: change.type, application: application)
      if record.reason(for: change) != nil {
        memory.undone.insert(undone)
      } else if isByUser {
        memory.undone.remove(undone)
      }
    }
    try write(record, memory)
    // A change since the comparison is compared with `result` next time.
    if result != after, try contents(file, besides: memory).bytes == after {
      do throws(CommandFailure) {
        try writeList(result, to: file)
      } catch {
        complain("change \(record.number) could not be taken back: \(error.reason)")
        var unchanged = earlier
        unchanged.last = memory.last
        return try write(failed: record, unchanged, &memory, &check)
      }
    }
    check.records.append(record)
  }

  /// The file has the contents after the change, and is compared again with those before.
  private func write(
    failed: GuardRecord, _ unchanged: GuardMemory, _ memory: inout GuardMemory,
    _ check: inout GuardCheck
  ) throws(CommandFailure) {
    var record = failed
    (record.takenBack, record.notTakenBack) = ([], record.takenBack)
    record.result = record.after
    record.failures = (record.failures ?? 0) + 1
    memory = unchanged
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
    of file: String, before: [UInt8]?, _ writers: ProcessWitness, _ memory: inout GuardMemory
  ) -> GuardRecord {
    memory.last += 1
    return GuardRecord(
      number: memory.last, time: time(of: file), file: file, before: before.map { Data($0) },
      processes: writers.texts, isTooLarge: memory.isTooLarge(file) ? true : nil,
      isByUser: UserChoiceRule.isChosenByUser(writers.choosers, changing: []) ? true : nil)
  }

  private func installed() -> DefaultsGuardRule.Installed {
    let declared = DeclaredTypes()
    return .init(
      declares: { declared.applications(of: $1).contains($0) },
      contains: { DesktopApplication(identifier: $0) != nil },
      hasOther: { application, type in
        declared.applications(of: type).contains { $0 != application }
      })
  }

  /// The time until a change may be taken back, in microseconds.
  private func delay(
    of change: AssociationChange, _ memory: GuardMemory
  ) throws(CommandFailure) -> UInt64 {
    let now = UInt64(clamping: Time.wallClockNanoseconds() / 1000)
    var times: [UInt64] = []
    var number = memory.last
    while number > 0, number > memory.last - Self.mostRecent,
      times.count < RestorePace.mostPerMinute,
      let record = try guardFolder.record(number), now < record.time + RestorePace.minute
    {
      if record.takenBack.contains(where: {
        $0.change.type == change.type && $0.change.group == change.group
      }) {
        times.append(record.time)
      }
      number -= 1
    }
    return RestorePace.delay(after: times, now: now)
  }

  /// Maximum number of recorded changes that are read for `delay(of:_:)` and `failedRecord(of:_:_:)`.
  private static let mostRecent = 64

  private func time(of file: String) -> UInt64 {
    let changed = (try? FileStamp(path: file))?.changed ?? Time.wallClockNanoseconds()
    return UInt64(clamping: changed / 1000)
  }

  /// Maximum size of a guarded file, in bytes: each recorded change keeps its contents. Real files have some KiB.
  private static let largestGuarded = 4 << 20
  /// Maximum size of all guarded files together, in bytes.
  private static let largestTogether = 16 << 20

  /// - Parameter memory: with the contents of the other files.
  /// - Returns: no bytes for a file that does not exist, and for one that is too large to compare.
  private func contents(
    _ file: String, besides memory: GuardMemory
  ) throws(CommandFailure) -> (bytes: [UInt8]?, isTooLarge: Bool) {
    let others = memory.files.reduce(0) { $0 + ($1.key == file ? 0 : $1.value.count) }
    let limit = min(Self.largestGuarded, max(0, Self.largestTogether - others))
    do throws(FileError) {
      return (try read(file, atMost: limit), false)
    } catch {
      if case .tooLarge = error.problem { return (nil, true) }
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

  /// - Parameter bytes: nil to remove the file.
  func writeList(_ bytes: [UInt8]?, to file: String) throws(CommandFailure) {
    do throws(FileError) {
      if let bytes {
        try AtomicFile.write(bytes, to: file, mode: permissions(of: file) ?? 0o644)
      } else {
        try AtomicFile.remove(file, followsLinks: true)
      }
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }
}

/// The result of one comparison of all guarded files.
struct GuardCheck {
  var records: [GuardRecord] = []
  /// The time until changes may be taken back that wait because there were too many, in microseconds; 0 for none.
  var retryAfter: UInt64 = 0
}
