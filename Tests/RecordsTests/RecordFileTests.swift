import Foundation
import LaunchRules
import Synchronization
import Testing

@testable import Records

@Suite("The files of the record")
final class RecordFileTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/ls-\(UUID().uuidString)"

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static func entry(_ name: String, _ number: UInt64 = 1) -> RequestEntry {
    RequestEntry(
      number: number, time: 1000, caller: "com.example.mail", name: RequestName(name),
      subject: "photos:x", handler: "com.example.photos")
  }

  private static func open(
    _ folder: String, in session: String? = nil,
    sinceBoot: @escaping @Sendable () -> UInt64 = { 0 }, boot: String = "",
    remark: @escaping @Sendable (RecordRemark) -> Void = { _ in },
    now: @escaping @Sendable () -> UInt64 = { 1_000_000 }
  ) -> RecordFile {
    RecordFile(
      path: folder + "/requests.sqlite", limit: 100, age: 3600, sessionFolder: session,
      clock: RecordClock(now: now, sinceBoot: sinceBoot, boot: boot), remark: remark)
  }

  @Test("The daemon is killed before a request is written: the next one has never heard of it")
  func killed() throws {
    let copy = folder + "-killed"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let isWriting = Mutex(false)
    let folder = folder
    // The time of a row is taken just before the row is written.
    let file = Self.open(
      folder,
      now: {
        isWriting.withLock {
          if $0 { try? FileManager.default.copyItem(atPath: folder, toPath: copy) }
          $0 = false
        }
        return 1_000_000
      })
    isWriting.withLock { $0 = true }
    file.perform([.write([Self.entry("1")], ticket: 1)]) { #expect($0.first?.isWritten == true) }
    try #require(FileManager.default.fileExists(atPath: copy))
    #expect(Self.open(copy).find(RequestName("1"), isRepeated: true) == .never)
    #expect(Self.open(folder).find(RequestName("1"), isRepeated: true) == .entry(Self.entry("1")))
  }

  @Test("The journal cannot be made: the names that the record has are known all the same")
  func noJournal() throws {
    let file = Self.open(folder)
    file.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    let journal = folder + "/requests.identifiers"
    try FileManager.default.removeItem(atPath: journal)
    // No file can be read from here, and none can be put here.
    try FileManager.default.createDirectory(
      atPath: journal + "/kept", withIntermediateDirectories: true)
    let next = Self.open(folder)
    while !next.checkSome() {}
    #expect(next.identifiers == nil)
    #expect(next.names.contains(RequestName("1").fingerprint))
  }

  @Test(
    "Something else in place of the journal is replaced, with the reason in the log, and unknown names stay unknown",
    arguments: ["a FIFO", "a link", "20 GB"])
  func noJournalFile(_ kind: String) throws {
    let file = Self.open(folder)
    file.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    let journal = folder + "/requests.identifiers"
    try FileManager.default.removeItem(atPath: journal)
    let reason: String
    switch kind {
    case "a FIFO":
      try #require(unsafe mkfifo(journal, 0o600) == 0)
      reason = "it is not a regular file"
    case "a link":
      try FileManager.default.createSymbolicLink(
        atPath: journal, withDestinationPath: folder + "/other")
      reason = "Too many levels of symbolic links"
    default:
      try Data().write(to: URL(filePath: journal))
      try #require(unsafe truncate(journal, 20_000_000_000) == 0)
      reason = "it has 20000000000 bytes; the largest size is 67108864 bytes"
    }
    let remarks = Mutex<[String]>([])
    let next = RecordFile(
      path: folder + "/requests.sqlite", limit: 100, age: 3600,
      clock: RecordClock(now: { 1_000_000 }, sinceBoot: { 0 }),
      remark: { remark in
        if case .replacesIdentifiers(journal, let reason) = remark {
          remarks.withLock { $0.append(reason) }
        }
      })
    #expect(remarks.withLock { $0 } == [reason])
    // The lost journal may have had the delivery.
    var expected = Self.entry("1")
    expected.progress = .delivering
    #expect(next.find(RequestName("1"), isRepeated: true) == .entry(expected))
    guard case .unknown = next.find(RequestName("2"), isRepeated: true) else {
      Issue.record("a name that only the lost journal may have had is taken for new")
      return
    }
    // The new journal takes the next names.
    next.perform([.write([Self.entry("3")], ticket: 2)]) { #expect($0.first?.isWritten == true) }
    let again = try #require(try IdentifierJournal.open(journal))
    #expect(again.names.known.contains(RequestName("3").fingerprint))
  }

  @Test(
    "Damaged entries of the journal: a name that only these may have had is not taken for new",
    arguments: [0..<1, 2..<4, 0..<4], [false, true])
  func damagedEntries(_ damaged: Range<Int>, recordIsLost: Bool) throws {
    let file = Self.open(folder)
    for number in 1...4 {
      let ticket = UInt64(number)
      file.perform([.write([Self.entry("\(number)", ticket)], ticket: ticket)]) { _ in }
    }
    let copy = folder + "-damaged"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    let journal = copy + "/requests.identifiers"
    var bytes = try Data(contentsOf: URL(filePath: journal))
    for entry in damaged { bytes[16 * entry + 3] ^= 1 }
    try bytes.write(to: URL(filePath: journal))
    if recordIsLost {
      for end in ["", "-wal", "-shm"] { unsafe unlink(copy + "/requests.sqlite" + end) }
    }
    let reasons = Mutex<[String]>([])
    func open() -> RecordFile {
      Self.open(
        copy,
        remark: { remark in
          if case .replacesIdentifiers(journal, let reason) = remark {
            reasons.withLock { $0.append(reason) }
          }
        })
    }
    let next = open()
    #expect(reasons.withLock { $0 } == ["the file is damaged"])
    for name in ["1", "2", "3", "4", "5"] {
      switch next.find(RequestName(name), isRepeated: true) {
      case .unknown: break
      // The damaged entry may have been that of the delivery.
      case .entry(let entry): #expect(entry.progress == .delivering && !recordIsLost)
      case .never: Issue.record("the request \(name) is taken for new")
      }
    }
    #expect(next.find(RequestName("6"), isRepeated: false) == .never)
    _ = open()
    #expect(reasons.withLock { $0.count } == 1)
  }

  @Test("The record is lost and cannot be made again: a repeated request is not taken for new")
  func lostAndNotMade() throws {
    let file = Self.open(folder)
    file.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    let copy = folder + "-not-made"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    for end in ["", "-wal", "-shm"] { unsafe unlink(copy + "/requests.sqlite" + end) }
    // SQLite cannot use a folder as its file.
    try FileManager.default.createDirectory(
      atPath: copy + "/requests.sqlite-wal/kept", withIntermediateDirectories: true)
    try Data([1, 2, 3, 4]).write(to: URL(filePath: copy + "/requests.identifiers"))
    if case .never = Self.open(copy).find(RequestName("1"), isRepeated: true) {
      Issue.record("a request of the lost record is taken for new")
    }
  }

  @Test(
    "An incomplete entry at the end of the journal, of a daemon that was killed, is overwritten")
  func incompleteEntry() throws {
    var file: RecordFile? = Self.open(folder)
    file?.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    file = nil
    let journal = folder + "/requests.identifiers"
    var bytes = try Data(contentsOf: URL(filePath: journal))
    bytes.replaceSubrange(16..<20, with: [1, 2, 3, 4])
    try bytes.write(to: URL(filePath: journal))
    let next = Self.open(
      folder,
      remark: { remark in
        if case .replacesIdentifiers = remark { Issue.record("the journal is taken for damaged") }
      })
    #expect(next.find(RequestName("2"), isRepeated: true) == .never)
    next.perform([.write([Self.entry("2", 2)], ticket: 2)]) { _ in }
    let again = try #require(try IdentifierJournal.open(journal))
    #expect(!again.names.isIncomplete)
    #expect(again.names.known.contains(RequestName("2").fingerprint))
  }

  @Test(
    "A guessable identifier that a caller with another identity used is not taken for new when it is repeated"
  )
  func otherScope() throws {
    let file = Self.open(folder)
    func entry(_ number: UInt64, _ name: RequestName) -> RequestEntry {
      RequestEntry(
        number: number, time: 1000, caller: "com.example.mail", name: name, subject: "photos:x",
        handler: "com.example.photos")
    }
    let (confined, free) = (RequestName("job", confined: "com.example.mail"), RequestName("job"))
    let box = RequestName("job", scope: "remote:box")
    file.perform([.write([entry(1, box)], ticket: 1)]) { _ in }
    #expect(file.find(free, isRepeated: true) == .never)
    file.perform([.write([entry(2, confined)], ticket: 2)]) { _ in }
    #expect(file.find(free, isRepeated: false) == .never)
    #expect(
      file.find(free, isRepeated: true)
        == .unknown("its identifier was used before by a caller with another identity"))
    #expect(file.find(RequestName("other"), isRepeated: true) == .never)
    #expect(
      file.find(RequestName("job", scope: "remote:b"), isRepeated: true) == .never)
  }

  @Test(
    "An identifier of an earlier remote of the same name is not taken for new when it is repeated")
  func earlierRemote() throws {
    let file = Self.open(folder)
    let id = "0123456789abcdef0123456789abcdef"
    let (box, boxes) = (try #require(RemoteName("box")), try #require(RemoteName("boxes")))
    let first = RequestName(id, of: box, generation: "a")
    let entry = RequestEntry(
      number: 1, time: 1000, caller: "remote:box", name: first, subject: "https:",
      handler: "com.example.browser")
    file.perform([.write([entry], ticket: 1)]) { _ in }
    let second = RequestName(id, of: box, generation: "b")
    #expect(file.find(second, isRepeated: false) == .never)
    #expect(
      file.find(second, isRepeated: true)
        == .unknown("its identifier was used before by an earlier remote of the same name"))
    for other in [RequestName(id, of: boxes, generation: "b"), RequestName(id)] {
      #expect(file.find(other, isRepeated: true) == .never)
    }
  }

  @Test("An older state of a damaged record does not undo a delivery") func olderState() throws {
    let file = Self.open(folder)
    var entry = Self.entry("1")
    file.perform([.write([entry], ticket: 1)]) { _ in }
    let copy = folder + "-older"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    entry.progress = .delivering
    file.perform([.write([entry], ticket: 2)]) { _ in }
    entry.progress = .settled
    file.perform([.write([entry], ticket: 3)]) { _ in }
    #expect(Self.open(folder).find(RequestName("1"), isRepeated: true) == .entry(entry))
    // The journal has no frames that a damaged one hides.
    try FileManager.default.removeItem(atPath: copy + "/requests.identifiers")
    try FileManager.default.copyItem(
      atPath: folder + "/requests.identifiers", toPath: copy + "/requests.identifiers")
    var expected = Self.entry("1")
    expected.progress = .delivering
    #expect(Self.open(copy).find(RequestName("1"), isRepeated: true) == .entry(expected))
  }

  @Test("Empty files in place of the record do not make a repeated request new") func emptied()
    throws
  {
    let file = Self.open(folder)
    file.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    let copy = folder + "-emptied"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    for name in ["requests.sqlite", "requests.identifiers"] {
      try Data().write(to: URL(filePath: copy + "/" + name))
    }
    guard case .unknown = Self.open(copy).find(RequestName("1"), isRepeated: true) else {
      Issue.record("a request of the emptied record is taken for new")
      return
    }
  }

  @Test("The record is lost after a request was written: the next daemon does not take it for new")
  func lost() throws {
    let file = Self.open(folder)
    file.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    for end in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: folder + "/requests.sqlite" + end)
    }
    guard case .unknown = Self.open(folder).find(RequestName("1"), isRepeated: false) else {
      Issue.record("it is not known that the identifier was used")
      return
    }
  }

  @Test(
    "The time for which a lost record makes repetitions unknown is counted by daemons, not taken from the clock",
    arguments: [1_700_000_000_000_000, 0] as [UInt64])
  func clock(now: UInt64) throws {
    let file = Self.open(folder, now: { now })
    file.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    try FileManager.default.removeItem(atPath: folder)
    let hour: UInt64 = 3_600_000_000
    // Half of the time passes without a lookup, and is stored when the daemon ends.
    let boot = Boot()
    let session = folder + "-session"
    defer { try? FileManager.default.removeItem(atPath: session) }
    func open(_ now: UInt64) -> RecordFile {
      Self.open(folder, in: session, sinceBoot: { boot.time.withLock { $0 } }, now: { now })
    }
    try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
    RecordTrace(in: session, of: folder + "/requests.sqlite").make()
    let first = open(now)
    boot.time.withLock { $0 += hour / 2 }
    first.countGap(isLast: true)
    // The clock is set far ahead, and the system is started again.
    boot.time.withLock { $0 = 0 }
    let second = open(now + 1000 * 24 * hour)
    #expect(Self.isUnknown(second.find(RequestName("1"), isRepeated: true)))
    boot.time.withLock { $0 += hour / 2 - 1 }
    #expect(Self.isUnknown(second.find(RequestName("1"), isRepeated: true)))
    boot.time.withLock { $0 += 1 }
    #expect(second.find(RequestName("1"), isRepeated: true) == .never)
    #expect(open(now).find(RequestName("1"), isRepeated: true) == .never)
  }

  @Test(
    "The clock is set forward between two daemons: no request ages by that before the next start of the system"
  )
  func clockSetForward() throws {
    let (folder, day) = (folder, 86_400_000_000 as UInt64)
    func open(_ now: UInt64, _ sinceBoot: UInt64, _ boot: String) -> RecordFile {
      Self.open(folder, sinceBoot: { sinceBoot }, boot: boot, now: { now })
    }
    func isKept(_ name: String, _ file: RecordFile) -> Bool {
      let some = (0..<80).map { place in
        var entry = Self.entry("\(name) \(place)", file.memory.reserved + UInt64(place) + 1)
        entry.progress = .settled
        return entry
      }
      file.perform([.write(some, ticket: 1), .reserve(file.memory.reserved + 80, ticket: 0)]) {
        _ in
      }
      if case .entry = file.find(RequestName("first 0"), isRepeated: true) { return true }
      return false
    }
    #expect(isKept("first", open(100 * day, day, "a")))
    #expect(isKept("second", open(108 * day, day + 4_000_000, "a")))
    #expect(isKept("third", open(100 * day, day + 8_000_000, "a")))
    #expect(isKept("fourth", open(108 * day, day + 12_000_000, "a")))
    #expect(!isKept("fifth", open(108 * day, 1_000_000, "b")))
  }

  @Test(
    "The journal cannot grow: what it had is not taken for undelivered, by this daemon and the next one",
    arguments: [
      "removed", "made again", "removed, and the record cannot be read at the next start",
    ])
  func fullJournal(_ what: String) throws {
    let path = folder + "/requests.sqlite"
    let file = Self.open(folder)
    var entry = Self.entry("1", 1)
    file.perform([.write([entry], ticket: 1)]) { _ in }
    let other = try Database(path: path)
    try other.run(
      "CREATE TRIGGER failing BEFORE INSERT ON requests BEGIN SELECT RAISE(ABORT, 'no'); END")
    entry.progress = .delivering
    file.perform([.write([entry], ticket: 2)]) { #expect($0.first?.isWritten == true) }
    // Memory forgets the request.
    let most = (2...3000).map { number in
      var entry = Self.entry("\(number)", UInt64(number))
      entry.progress = .settled
      return entry
    }
    file.perform([.write(most, ticket: 3)]) { _ in }
    file.removeIdentifiers()
    #expect(file.find(RequestName("1"), isRepeated: true) == .entry(entry))
    if what == "made again" {
      file.perform([.write([Self.entry("3001", 3001)], ticket: 4)]) {
        #expect($0.first?.isWritten == true)
      }
    }
    #expect((file.identifiers == nil) == (what != "made again"))
    try other.run("DROP TRIGGER failing")
    if what.hasSuffix("next start") {
      try other.run("BEGIN EXCLUSIVE")
      let next = Self.open(folder)
      #expect(next.identifiers == nil)
      next.perform([.write([Self.entry("3001", 3001)], ticket: 4)]) {
        #expect($0.first?.isWritten == false)
      }
      try other.run("ROLLBACK")
      next.perform([.write([Self.entry("3002", 3002)], ticket: 5)]) {
        #expect($0.first?.isWritten == true)
      }
      #expect(next.find(RequestName("1"), isRepeated: true) == .entry(entry))
      #expect(Self.isUnknown(next.find(RequestName("0"), isRepeated: true)))
    }
    let next = Self.open(folder)
    #expect(next.find(RequestName("1"), isRepeated: true) == .entry(entry))
    if what != "made again" {
      #expect(Self.isUnknown(next.find(RequestName("0"), isRepeated: true)))
    }
    #expect(next.identifiers != nil)
    #expect(Self.open(folder).find(RequestName("1"), isRepeated: true) == .entry(entry))
  }

  private final class Boot: Sendable {
    let time = Mutex<UInt64>(7)
  }

  private static func isUnknown(_ found: RequestFound) -> Bool {
    if case .unknown = found { true } else { false }
  }

  /// What is put in the place of the record while no daemon runs.
  enum SetBack: CaseIterable {
    case folder, cutFiles
  }

  @Test(
    "An older state of both files is put back: what was recorded since is unknown, and numbers go on",
    arguments: SetBack.allCases)
  func setBack(_ how: SetBack) throws {
    let (session, copy) = (folder + "-session", folder + "-older")
    defer { for each in [session, copy] { try? FileManager.default.removeItem(atPath: each) } }
    try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
    let remarks = Mutex<[RecordRemark]>([])
    func open() -> RecordFile {
      Self.open(folder, in: session, remark: { remark in remarks.withLock { $0.append(remark) } })
    }
    func lost() -> Int {
      remarks.withLock { $0 }.filter { if case .lost = $0 { true } else { false } }.count
    }
    var file: RecordFile? = open()
    let numbers = try #require(file?.reserveNumbers(10))
    file?.perform([.write([Self.entry("0", 1)], ticket: 1)]) { _ in }
    switch how {
    case .folder: try FileManager.default.copyItem(atPath: folder, toPath: copy)
    case .cutFiles:
      file = nil
      file = open()
      #expect(lost() == 0)
    }
    var second = Self.entry("1", 2)
    file?.perform([.write([second], ticket: 2)]) { _ in }
    if how == .folder {
      // The copy lists this request as accepted.
      try FileManager.default.removeItem(atPath: copy)
      try FileManager.default.copyItem(atPath: folder, toPath: copy)
    }
    second.progress = .delivering
    file?.perform([.write([second], ticket: 3)]) { _ in }
    file?.perform([.write([Self.entry("2", 3)], ticket: 4)]) { _ in }
    if how == .cutFiles {
      // As after SIGKILL: nothing is moved from the -wal file, which is removed, to the record.
      try FileManager.default.copyItem(atPath: folder, toPath: copy)
      for end in ["-wal", "-shm"] { unsafe unlink(copy + "/requests.sqlite" + end) }
      unsafe truncate(copy + "/requests.identifiers", 16)
    }
    file = nil
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: copy, toPath: folder)
    let next = open()
    #expect(lost() == 1)
    if how == .folder {
      #expect(next.find(RequestName("1"), isRepeated: false) == .entry(second))
    } else {
      #expect(Self.isUnknown(next.find(RequestName("1"), isRepeated: true)))
    }
    #expect(Self.isUnknown(next.find(RequestName("2"), isRepeated: true)))
    #expect(next.find(RequestName("3"), isRepeated: false) == .never)
    #expect(try #require(next.reserveNumbers(10)).lowerBound == numbers.upperBound + 1)
    _ = open()
    #expect(lost() == 1)
  }

  @Test(
    "A record that is as new as it was, or newer, is not taken for an older one",
    arguments: [
      "killed", "killed before a write", "killed after a write", "pruned", "other session",
      "new session",
    ])
  func current(_ what: String) throws {
    let (session, other) = (folder + "-session", folder + "-other")
    defer { for each in [session, other] { try? FileManager.default.removeItem(atPath: each) } }
    for each in [session, other] {
      try FileManager.default.createDirectory(atPath: each, withIntermediateDirectories: true)
    }
    let lost = Mutex(0)
    func open(_ session: String) -> RecordFile {
      Self.open(
        folder, in: session,
        remark: { remark in if case .lost = remark { lost.withLock { $0 += 1 } } })
    }
    var file = open(session)
    _ = file.reserveNumbers(10)
    var entry = Self.entry("1", 1)
    file.perform([.write([entry], ticket: 1)]) { _ in }
    entry.progress = .delivering
    switch what {
    case "killed before a write": file.extent.trace?.begin(entry.version)
    case "killed after a write":
      file.extent.trace?.begin(entry.version)
      let record = try RequestRecord(path: folder + "/requests.sqlite", limit: 100, age: 3600)
      try record.save(entry, now: 2)
    case "pruned":
      let some = (2...600).map { number in
        var entry = Self.entry("\(number)", UInt64(number))
        entry.progress = .settled
        return entry
      }
      file.perform([.write(some, ticket: 2)]) { _ in }
    case "other session":
      file = open(other)
      _ = file.reserveNumbers(10)
      entry.progress = .settled
      file.perform([.write([entry], ticket: 2)]) { _ in }
    default: break
    }
    let next = open(what == "new session" ? other : session)
    #expect(next.find(RequestName("0"), isRepeated: true) == .never)
    #expect(lost.withLock { $0 } == 0)
  }

  @Test("A trace that was written by something else does not pass for one of this record")
  func unreadableTrace() throws {
    let session = folder + "-session"
    defer { try? FileManager.default.removeItem(atPath: session) }
    try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
    let file = Self.open(folder, in: session)
    file.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    let path = try #require(file.extent.trace?.path)
    try Data("something else".utf8).write(to: URL(filePath: path))
    #expect(Self.isUnknown(Self.open(folder, in: session).find(RequestName("2"), isRepeated: true)))
  }

  @Test("Nothing is recorded nor known after another process has taken the files over")
  func left() throws {
    let file = Self.open(folder)
    file.perform([.write([Self.entry("1")], ticket: 1)]) { _ in }
    file.leave("another process")
    #expect(Self.isUnknown(file.find(RequestName("1"), isRepeated: false)))
    #expect(Self.isUnknown(file.find(RequestName("2"), isRepeated: true)))
    file.perform([.write([Self.entry("2", 2)], ticket: 2)]) {
      #expect($0.first?.isWritten == false)
    }
    let next = Self.open(folder)
    #expect(next.find(RequestName("1"), isRepeated: true) == .entry(Self.entry("1")))
    #expect(next.find(RequestName("2"), isRepeated: true) == .never)
  }
}
