internal import BusContract
internal import Commands
internal import DBus
internal import DesktopEntries
internal import FoundationEssentials
internal import Host
internal import LaunchRules

/// The actions of `lsregister guard`.
enum GuardAction: Equatable {
  case status
  /// Never `.off`.
  case on(DefaultsGuardPolicy)
  case off
  case changes
  case undo(Int)
  /// Make again what the guard has taken back.
  case keep(Int)
  case allow(String)
  case disallow(String)
  /// Watch the files until the parent process ends; for the daemon.
  case watch(DefaultsGuardPolicy)

  init(_ words: [String]) throws(CommandFailure) {
    switch (words.first, words.dropFirst().first, words.count) {
    case (nil, _, _), ("status", _, 1): self = .status
    case ("on", nil, _): self = .on(.notice)
    case ("on", let text?, 2): self = .on(try Self.policy(text))
    case ("off", _, 1): self = .off
    case ("changes", _, 1): self = .changes
    case ("undo", let text?, 2): self = .undo(try Self.number(text))
    case ("keep", let text?, 2): self = .keep(try Self.number(text))
    case ("allow", let text?, 2): self = .allow(try Self.identifier(text))
    case ("disallow", let text?, 2): self = .disallow(try Self.identifier(text))
    case ("watch", let text?, 2): self = .watch(try Self.policy(text))
    default:
      throw .usage("'guard \(words.joined(separator: " "))' is not valid")
    }
  }

  private static func policy(_ text: String) throws(CommandFailure) -> DefaultsGuardPolicy {
    guard let policy = DefaultsGuardPolicy(rawValue: text), policy != .off else {
      throw .usage("'\(text)' is no policy; the policies are notice and restore")
    }
    return policy
  }

  private static func number(_ text: String) throws(CommandFailure) -> Int {
    guard let number = Int(text), number > 0 else {
      throw .usage("'\(text)' is no number of a change; 'lsregister guard changes' prints them")
    }
    return number
  }

  private static func identifier(_ text: String) throws(CommandFailure) -> String {
    guard text.hasSuffix(".desktop"), !text.contains("/") else {
      throw .usage(
        "'\(text)' is no desktop file ID, such as firefox.desktop" + CommandFailure.listHint)
    }
    return text
  }
}

extension DesktopTask {
  func run(_ action: GuardAction) throws(CommandFailure) {
    switch action {
    case .status: try printGuardStatus()
    case .on(let policy): try turnGuard(policy)
    case .off: try turnGuard(.off)
    case .changes:
      var records: [GuardRecord] = []
      try alone { () throws(CommandFailure) in records = try guardFolder.records() }
      // Without the lock: a pager may keep this process waiting.
      printGuardedChanges(records)
    case .undo(let number): try alone { () throws(CommandFailure) in try undo(number) }
    case .keep(let number): try alone { () throws(CommandFailure) in try keep(number) }
    case .allow(let identifier):
      if application(identifier) == nil {
        output.complain(
          unknownApplication(identifier) + "; the permission counts as soon as there is one"
        )
      }
      try changeGuard {
        $0.allowed.insert(identifier)
        $0.undone = $0.undone.filter { $0.application != identifier }
      }
    case .disallow(let identifier): try changeGuard { $0.allowed.remove(identifier) }
    case .watch(let policy): DefaultsWatch.run(self, policy)
    }
  }

  private func guardPolicy() throws(CommandFailure) -> DefaultsGuardPolicy {
    let text = try call(Contract.registryProperty("DefaultsGuard")).first?.asStringInVariant
    return text.flatMap(DefaultsGuardPolicy.init) ?? .off
  }

  private func turnGuard(_ policy: DefaultsGuardPolicy) throws(CommandFailure) {
    let isOn = try guardPolicy() != .off
    if policy != .off, !isOn {
      try alone { () throws(CommandFailure) in try takeGuardSnapshot() }
    }
    _ = try call(Contract.setDefaultsGuard(policy.rawValue))
    try printGuardStatus()
  }

  private func changeGuard(_ change: (inout GuardMemory) -> Void) throws(CommandFailure) {
    try alone { () throws(CommandFailure) in
      var memory = try guardFolder.memory() ?? GuardMemory()
      change(&memory)
      try guardFolder.write(memory)
    }
    if json { output.print(JSON.text([:])) }
  }

  private func printGuardStatus() throws(CommandFailure) {
    let policy = try guardPolicy()
    var memory = GuardMemory()
    try alone { () throws(CommandFailure) in memory = try guardFolder.memory() ?? memory }
    let files = policy == .off ? [] : memory.files.keys.sorted()
    if json {
      output.print(
        JSON.text([
          "policy": .string(policy.rawValue), "files": .strings(files),
          "allowed": .strings(memory.allowed.sorted()), "changes": .uint32(UInt32(memory.last)),
        ]))
    } else {
      output.print(policy.rawValue)
      output.print(
        Columns.lines(
          files.map { ["file", $0] } + memory.allowed.sorted().map { ["allowed", $0] }))
    }
  }

  private func printGuardedChanges(_ records: [GuardRecord]) {
    if json {
      output.print(JSON.text(["changes": .optionsList(records.map(describe))]))
    } else {
      output.print(records.flatMap(lines))
    }
  }

  private func describe(_ record: GuardRecord) -> Options {
    let (reasons, failures) = (record.reasons, record.failedReasons)
    return [
      "number": .uint32(UInt32(record.number)), "time": .uint64(record.time),
      "file": .string(record.file), "undone": .boolean(record.isUndone),
      "too-large": .boolean(record.isTooLarge ?? false),
      "by-user": .boolean(record.isByUser ?? false),
      "replaced-by": .string(record.replacedBy ?? ""),
      "processes": .strings(record.processes),
      "lines": .optionsList(
        record.changes.map { change in
          var line: Options = ["group": .string(change.group), "type": .string(change.type)]
          if let before = change.before { line["before"] = .string(before) }
          if let after = change.after { line["after"] = .string(after) }
          if let reason = reasons[change] {
            line[record.isReplacedSince == true ? "replaced-since" : "restored"] = .string(
              reason.rawValue)
          }
          if let reason = failures[change] { line["not-restored"] = .string(reason.rawValue) }
          return line
        }),
    ]
  }

  /// The first line has the number and the time.
  private func lines(_ record: GuardRecord) -> [String] {
    let time = LocalTime.text(microseconds: record.time)
    let (reasons, failures) = (record.reasons, record.failedReasons)
    let first =
      "\(record.number)  \(time)" + (record.isByUser == true ? "  by you" : "")
      + (record.changes.isEmpty ? "  \(record.state)" : "")
    let changes = record.changes.map { change in
      (change.group == AssociationChange.defaults ? "" : change.group + ": ") + change.type
        + ": \(change.applicationsBefore.listed) -> \(change.applicationsAfter.listed),"
        + (record.isUndone
          ? " undone"
          : failures[change] != nil
            ? " could not be taken back"
            : reasons[change] == nil
              ? " kept" : record.isReplacedSince == true ? " replaced since" : " restored")
    }
    let processes = record.processes.isEmpty ? "unknown" : record.processes.joined(separator: ", ")
    return [first]
      + ([record.file] + changes + ["processes: " + processes])
      .flatMap { WrappedText.lines($0.visible, width: Self.width, indent: 3) }
  }

  /// Of the list of changes, in columns.
  private static let width = 100

  /// Restores the contents before a change; if the file has changed since, only its lines that have not.
  private func undo(_ number: Int) throws(CommandFailure) {
    guard let known = try guardFolder.memory(), var record = try guardFolder.record(number) else {
      throw CommandFailure(
        .failed,
        "the guard has no change \(number); 'lsregister guard changes' prints the recorded changes")
    }
    var memory = known
    guard !record.isUndone else {
      throw CommandFailure(.failed, "the change \(number) is undone already")
    }
    var wanted = record.before.map(Array.init)
    var changed: [String] = []
    let seen = try listContents(record.file)
    if record.replacedBy != nil {
      switch seen {
      case .other, .none: break
      case .file, .tooLarge:
        throw CommandFailure(.failed, "\(record.file) is a file again: nothing was changed")
      }
    } else if record.isTooLarge != true {
      let now = try contents(record.file)
      if record.isKeptByLines == true || now != record.result.map(Array.init) {
        (wanted, changed) = try withoutLines(of: record, now)
      }
    }
    for change in record.changes {
      guard let application = change.newDefault else { continue }
      memory.undone.insert(.init(type: change.type, application: application))
    }
    record.isUndone = true
    beginOwnWrite(of: record.file, from: seen.bytes, to: wanted, &memory)
    memory.setTooLarge(record.file, false)
    memory.setKind(nil, inPlaceOf: record.file)
    try guardFolder.write(record)
    try guardFolder.write(memory)
    do throws(CommandFailure) {
      try replaceList(record.file, with: wanted, insteadOf: seen, memory)
    } catch {
      // The change is as it was, and can be undone later.
      record.isUndone = false
      try guardFolder.write(record)
      try guardFolder.write(known)
      throw error
    }
    endOwnWrite(of: record.file, &memory)
    try guardFolder.write(memory)
    for type in changed {
      output.complain("\(type) stays as it is: its line has changed since the change \(number)")
    }
    if json { output.print(JSON.text(["unchanged": .strings(changed)])) }
  }

  /// Makes a change again that was undone, or the lines of a change that the guard has taken back; if the file has
  /// changed since, only the lines that have not.
  private func keep(_ number: Int) throws(CommandFailure) {
    guard var memory = try guardFolder.memory(), var record = try guardFolder.record(number),
      record.isUndone || !record.takenBack.isEmpty
    else {
      throw CommandFailure(
        .failed,
        "the guard has taken back nothing of a change \(number); 'lsregister guard changes' prints the"
          + " recorded changes")
    }
    if let kind = record.replacedBy {
      throw CommandFailure(
        .failed, "the guard does not put \(kind) in the place of \(record.file): do so yourself")
    }
    guard record.isTooLarge != true else {
      throw CommandFailure(
        .failed,
        "the contents after the change \(number) were too large to be recorded: write \(record.file)"
          + " again")
    }
    let wanted = record.isUndone ? record.changes : record.takenBack.map(\.change)
    let seen = try listContents(record.file)
    let now = try contents(record.file)
    var (bytes, kept) = (record.after.map(Array.init), wanted)
    if now != (record.isUndone ? record.before : record.result).map(Array.init) {
      (bytes, kept) = try with(wanted, of: record, now)
      record.isKeptByLines = true
    }
    for change in kept {
      guard let application = change.newDefault else { continue }
      memory.undone.remove(.init(type: change.type, application: application))
    }
    record.takenBack.removeAll { kept.contains($0.change) }
    record.isUndone = false
    record.result = bytes.map { Data($0) }
    beginOwnWrite(of: record.file, from: now, to: bytes, &memory)
    try replaceList(record.file, with: bytes, insteadOf: seen, memory)
    endOwnWrite(of: record.file, &memory)
    try guardFolder.write(memory)
    try guardFolder.write(record)
    let changed = wanted.filter { !kept.contains($0) }.map(\.type)
    for type in changed {
      output.complain("\(type) stays as it is: its line has changed since the change \(number)")
    }
    if json { output.print(JSON.text(["unchanged": .strings(changed)])) }
  }

  private func replaceList(
    _ file: String, with bytes: [UInt8]?, insteadOf seen: ListContents, _ memory: GuardMemory
  ) throws(CommandFailure) {
    guard try writeList(bytes, to: file, insteadOf: seen, memory) else {
      throw CommandFailure(
        .failed, "another program has just written \(file), and nothing was changed: try again")
    }
  }

  private func with(
    _ changes: [AssociationChange], of record: GuardRecord, _ now: [UInt8]?
  ) throws(CommandFailure) -> (wanted: [UInt8]?, made: [AssociationChange]) {
    guard var file = try? EditedAssociations(now ?? []) else {
      throw CommandFailure(
        .failed, "\(record.file) is no valid key file: nothing was changed")
    }
    let taken = file.takeBack(changes.map(\.reversed))
    let made = changes.filter { taken.contains($0.reversed) }
    guard !made.isEmpty else {
      throw CommandFailure(
        .failed,
        "every line of the change \(record.number) has changed since: nothing was changed")
    }
    return (file.bytes, made)
  }

  private func withoutLines(
    of record: GuardRecord, _ now: [UInt8]?
  ) throws(CommandFailure) -> (wanted: [UInt8]?, changed: [String]) {
    guard var file = try? EditedAssociations(now ?? []) else {
      throw CommandFailure(
        .failed, "\(record.file) has changed since, and is no valid key file: nothing was changed")
    }
    let reasons = record.reasons
    let lines = record.changes.filter { reasons[$0] == nil }
    let taken = file.takeBack(lines)
    let changed = lines.filter { !taken.contains($0) }.map(\.type)
    guard changed.count < lines.count else {
      throw CommandFailure(
        .failed,
        "every line of the change \(record.number) has changed since: nothing was changed")
    }
    return (file.bytes, changed)
  }
}

extension [String] {
  /// A text for people.
  fileprivate var listed: String { isEmpty ? "none" : joined(separator: ", ") }
}

extension GuardRecord {
  typealias Reasons = [AssociationChange: DefaultsGuardRule.Reason]

  /// Of the changes that were taken back.
  var reasons: Reasons { Self.reasons(of: takenBack) }

  /// Of the changes that the guard wanted to take back, and that stay because the file could not be written.
  var failedReasons: Reasons { Self.reasons(of: notTakenBack ?? []) }

  private static func reasons(of takenBack: [TakenBack]) -> Reasons {
    .init(takenBack.map { ($0.change, $0.reason) }) { first, _ in first }
  }

  /// The state of a change without lines, for people.
  fileprivate var state: String {
    if isUndone { return "undone" }
    if isTooLarge == true { return "too large to compare" }
    if let replacedBy {
      let end =
        isPutBack == true
        ? ", restored"
        : isReplacedSince == true
          ? ", which was replaced since"
          : failures != nil ? ", could not be taken back" : ""
      return "replaced by \(replacedBy)\(end)"
    }
    return "kept"
  }
}
