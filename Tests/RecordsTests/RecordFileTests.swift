import Foundation
import Synchronization
import Testing

@testable import Records

@Suite("The files of the record")
final class RecordFileTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/ls-\(UUID().uuidString)"

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static func entry(_ name: String) -> RequestEntry {
    RequestEntry(
      number: 1, time: 1000, caller: "com.example.mail", name: RequestName(name),
      subject: "photos:x", handler: "com.example.photos")
  }

  private static func open(
    _ folder: String, now: @escaping @Sendable () -> UInt64 = { 1_000_000 }
  ) -> RecordFile {
    RecordFile(
      path: folder + "/requests.sqlite", limit: 100, age: 3600, now: now, remark: { _ in })
  }

  @Test("The daemon is killed before a request is written: the next one has never heard of it")
  func killed() throws {
    let copy = folder + "-killed"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let isWriting = Mutex(false)
    let folder = folder
    // The time of a row is taken just before the row is written.
    let file = Self.open(folder) {
      isWriting.withLock {
        if $0 { try? FileManager.default.copyItem(atPath: folder, toPath: copy) }
        $0 = false
      }
      return 1_000_000
    }
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
      path: folder + "/requests.sqlite", limit: 100, age: 3600, now: { 1_000_000 },
      remark: { remark in
        if case .replacesIdentifiers(journal, let reason) = remark {
          remarks.withLock { $0.append(reason) }
        }
      })
    #expect(remarks.withLock { $0 } == [reason])
    #expect(next.find(RequestName("1"), isRepeated: true) == .entry(Self.entry("1")))
    guard case .unknown = next.find(RequestName("2"), isRepeated: true) else {
      Issue.record("a name that only the lost journal may have had is taken for new")
      return
    }
    // The new journal takes the next names.
    next.perform([.write([Self.entry("3")], ticket: 2)]) { #expect($0.first?.isWritten == true) }
    let again = try #require(try IdentifierJournal.open(journal))
    #expect(again.known.contains(RequestName("3").fingerprint))
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
}
