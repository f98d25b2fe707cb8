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
    memory.files = [:]
    for file in guardedFiles(memory) { memory.files[file] = try contents(file).map { Data($0) } }
    try guardFolder.write(memory)
  }

  /// Tells the guard about contents that this program writes now: they are no change of another program.
  func recordOwnWrite(of file: String, _ bytes: [UInt8]?) throws(CommandFailure) {
    guard var memory = try guardFolder.memory() else { return }
    memory.files[file] = bytes.map { Data($0) }
    try guardFolder.write(memory)
  }

  /// Records each changed file, and takes back what the rule says.
  /// - Parameter processes: those that may have made the changes.
  /// - Returns: the recorded changes.
  func checkDefaults(
    _ policy: DefaultsGuardPolicy, processes: [String]
  ) throws(CommandFailure) -> [GuardRecord] {
    guard var memory = try guardFolder.memory() else { return [] }
    var records: [GuardRecord] = []
    for file in guardedFiles(memory) {
      do throws(CommandFailure) {
        if let record = try checkDefaults(file, policy, processes, &memory) {
          records.append(record)
        }
      } catch {
        complain(error.reason)
      }
    }
    return records
  }

  private func checkDefaults(
    _ file: String, _ policy: DefaultsGuardPolicy, _ processes: [String],
    _ memory: inout GuardMemory
  ) throws(CommandFailure) -> GuardRecord? {
    let before = memory.files[file].map(Array.init)
    let after = try contents(file)
    guard after != before else { return nil }
    var changes: [AssociationChange] = []
    var takenBack: [GuardRecord.TakenBack] = []
    var result = after
    if let old = try? EditedAssociations(before ?? []),
      var new = try? EditedAssociations(after ?? [])
    {
      let associations = new.associations
      changes = old.associations.changes(to: associations)
      // Another writer of the file, or another order or blank lines, change no association.
      if policy == .restore {
        let found = memory.rule.restored(changes, in: associations) { application, type in
          DesktopApplication(identifier: application)?.declares(type) ?? false
        }
        for (change, reason) in found
        where try mayTakeBack(change, memory) && new.takeBack(change) {
          takenBack.append(.init(change: change, reason: reason))
        }
        if !takenBack.isEmpty { result = new.bytes }
      }
    }
    memory.last += 1
    let record = GuardRecord(
      number: memory.last, time: time(of: file), file: file, before: before.map { Data($0) },
      after: after.map { Data($0) }, changes: changes, takenBack: takenBack,
      result: result.map { Data($0) }, processes: processes)
    for one in takenBack {
      guard let application = one.change.newDefault else { continue }
      memory.undone.insert(.init(type: one.change.type, application: application))
    }
    memory.files[file] = record.result
    try guardFolder.write(record)
    try guardFolder.write(memory)
    // A change since the comparison is compared with `after` next time.
    if result != after, try contents(file) == after { try writeList(result, to: file) }
    return record
  }

  /// The maximum number of changes of one default that are taken back in a minute: some programs repeat theirs.
  private static let mostPerMinute = 5

  private func mayTakeBack(
    _ change: AssociationChange, _ memory: GuardMemory
  ) throws(CommandFailure) -> Bool {
    let now = UInt64(clamping: Time.wallClockNanoseconds() / 1000)
    var recent = 0
    var number = memory.last
    while number > 0, recent < Self.mostPerMinute, let record = try guardFolder.record(number),
      now < record.time + 60_000_000
    {
      if record.takenBack.contains(where: { $0.change.type == change.type }) { recent += 1 }
      number -= 1
    }
    return recent < Self.mostPerMinute
  }

  private func time(of file: String) -> UInt64 {
    let changed = (try? FileStamp(path: file))?.changed ?? Time.wallClockNanoseconds()
    return UInt64(clamping: changed / 1000)
  }

  /// Maximum size of a guarded file, in bytes: each recorded change keeps its contents. Real files have some KiB.
  private static let largestGuarded = 256 << 10

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
