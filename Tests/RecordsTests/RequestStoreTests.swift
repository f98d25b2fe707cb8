import Foundation
import Testing

@testable import Records

@MainActor @Suite("The store of requests", .timeLimit(.minutes(30)))
final class RequestStoreTests {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("launch-services-store-" + UUID().uuidString).path
  var path: String { folder + "/state/requests.sqlite" }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func store(_ remark: @escaping @MainActor (RecordRemark) -> Void = { _ in })
    -> RequestStore
  {
    RequestStore(
      path: path, limit: 100, age: 3600, sessionFolder: folder + "/session",
      clock: RecordClock(now: { 1_000_000 }, sinceBoot: { 0 }),
      remark: { remark($0) })
  }

  private func entry(
    _ number: UInt64, _ name: String?, _ progress: RequestEntry.Progress = .accepted
  ) -> RequestEntry {
    RequestEntry(
      number: number, time: 1000, caller: "com.example.mail", name: name.map { RequestName($0) },
      subject: "photos:x", handler: "com.example.photos", progress: progress)
  }

  private func note(_ entry: RequestEntry, in store: RequestStore) async -> Bool {
    await withCheckedContinuation { done in store.record(entry) { done.resume(returning: $0) } }
  }

  @Test("finds what it was told, and so does the next one") func told() async {
    let first = store()
    #expect(first.start(reserving: 10).reserved == 1...10)
    #expect(await first.find(RequestName("1"), isRepeated: true) == .never)
    #expect(await note(entry(1, "1"), in: first))
    #expect(!first.isNew(RequestName("1")))
    #expect(await first.find(RequestName("1"), isRepeated: false) == .entry(entry(1, "1")))
    first.record(entry(2, nil))
    #expect(
      await first.recent(limit: 9, handler: nil, caller: nil, since: 0).map(\.number) == [2, 1])
    first.close()
    let next = store()
    #expect(next.start(reserving: 10).reserved == 11...20)
    #expect(await next.find(RequestName("1"), isRepeated: false) == .entry(entry(1, "1")))
    #expect(await next.find(RequestName("2"), isRepeated: true) == .never)
    next.close()
  }

  @Test("is damaged: what was asked for before is not known, and is not taken for new")
  func damaged() async throws {
    let first = store()
    _ = await note(entry(1, "1", .settled), in: first)
    _ = await note(entry(2, "call#0", .settled), in: first)
    first.close()
    try Database(path: path).run("PRAGMA wal_checkpoint(TRUNCATE)")
    try Data("no database, and long enough to be one".utf8).write(to: URL(filePath: path))
    var aside: [String] = []
    let next = store { if case .movedAside(let place, _) = $0 { aside.append(place) } }
    func isUnknown(_ name: String, isRepeated: Bool = false) async -> Bool {
      if case .unknown = await next.find(RequestName(name), isRepeated: isRepeated) { return true }
      return false
    }
    #expect(await isUnknown("1"))
    #expect(await isUnknown("3", isRepeated: true))
    #expect(await isUnknown("3") == false)
    let parts = await next.findParts(of: RequestName("call"), isRepeated: false)
    guard case .unknown = parts else { return #expect(Bool(false), "\(parts)") }
    #expect(aside == [path + ".damaged"])
    next.close()
  }

  @Test("cannot write that a request is handed over: the next one knows that it may have arrived")
  func failing() async throws {
    let first = store()
    _ = await note(entry(1, "1"), in: first)
    let other = try Database(path: path)
    try other.run(
      "CREATE TRIGGER failing BEFORE INSERT ON requests BEGIN SELECT RAISE(ABORT, 'no'); END")
    #expect(await note(entry(1, "1", .delivering), in: first), "the journal has it")
    #expect(await note(entry(2, "2"), in: first))
    #expect(await first.find(RequestName("2"), isRepeated: false) == .entry(entry(2, "2")))
    first.close()
    try other.run("DROP TRIGGER failing")
    let next = store()
    #expect(
      await next.find(RequestName("1"), isRepeated: false) == .entry(entry(1, "1", .delivering)))
    guard case .unknown = await next.find(RequestName("2"), isRepeated: false) else {
      return #expect(Bool(false), "it is taken for new")
    }
    next.close()
  }

  @Test("writes what it could not write before when it can again") func again() async throws {
    var remarks: [RecordRemark] = []
    let first = store { remarks.append($0) }
    _ = await note(entry(1, "1"), in: first)
    let other = try Database(path: path)
    try other.run(
      "CREATE TRIGGER failing BEFORE INSERT ON requests BEGIN SELECT RAISE(ABORT, 'no'); END")
    _ = await note(entry(1, "1", .settled), in: first)
    try other.run("DROP TRIGGER failing")
    _ = await note(entry(2, "2"), in: first)
    #expect(remarks.count == 2)
    first.close()
    let next = store()
    #expect(await next.find(RequestName("1"), isRepeated: false) == .entry(entry(1, "1", .settled)))
    next.close()
  }

  @Test("lists requests that cannot be written, and writes them when it can again")
  func listsUnwritten() async throws {
    let first = store()
    _ = await note(entry(1, "1", .settled), in: first)
    let other = try Database(path: path)
    try other.run("BEGIN IMMEDIATE")
    _ = await note(entry(2, "2", .settled), in: first)
    first.record(entry(3, nil, .settled))
    func numbers(_ store: RequestStore, caller: String? = nil) async -> [UInt64] {
      await store.recent(limit: 2, handler: nil, caller: caller, since: 0).map(\.number)
    }
    #expect(await numbers(first) == [3, 2])
    #expect(await numbers(first, caller: "com.example.other") == [])
    try other.run("ROLLBACK")
    _ = await note(entry(4, "4", .settled), in: first)
    first.close()
    let next = store()
    #expect(
      await next.recent(limit: 9, handler: nil, caller: nil, since: 0).map(\.number) == [
        4, 3, 2, 1,
      ])
    next.close()
  }

  @Test("reserves no numbers that the next one could use again") func reserves() async throws {
    let first = store()
    func isReserved(_ number: UInt64, in store: RequestStore) async -> Bool {
      await withCheckedContinuation { done in store.reserve(number) { done.resume(returning: $0) } }
    }
    #expect(first.start(reserving: 10).reserved == 1...10)
    let other = try Database(path: path)
    try other.run("BEGIN IMMEDIATE")
    #expect(await !isReserved(20, in: first))
    first.close()
    let next = store()
    #expect(next.start(reserving: 10).reserved == nil)
    try other.run("ROLLBACK")
    #expect(await isReserved(30, in: next))
    next.close()
    let last = store()
    #expect(last.start(reserving: 10).reserved == 31...40)
    last.close()
  }

  @Test("says once when the identifiers cannot be kept, and where") func noIdentifiers()
    async throws
  {
    // A folder stands where the new file is written.
    let file = String(path.dropLast(7)) + ".identifiers"
    try FileManager.default.createDirectory(
      atPath: file + ".new", withIntermediateDirectories: true)
    var remarks: [String] = []
    let first = store {
      if case .cannotKeepIdentifiers(let path, let reason) = $0 {
        remarks.append("\(path): \(reason)")
      }
    }
    _ = await note(entry(1, "1"), in: first)
    _ = await note(entry(2, "2"), in: first)
    first.close()
    #expect(remarks == ["\(file): Is a directory"])
  }

  @Test("is removed with its folder: it is made again from memory") func removed() async throws {
    var places: [String] = []
    let first = store { if case .madeAgain(let place) = $0 { places.append(place) } }
    let process = RunningProcess(
      application: "com.example.photos", slot: 0, pid: 10, startTime: 5, isOurs: true)
    first.started(process)
    first.reserve(1000) { _ in }
    _ = await note(entry(1, "1", .settled), in: first)
    try FileManager.default.removeItem(atPath: folder)
    first.lookAtPlace()
    #expect(
      await first.find(RequestName("1"), isRepeated: false) == .entry(entry(1, "1", .settled)))
    #expect(places == [path])
    first.close()
    let next = store()
    let before = next.start(reserving: 10)
    #expect(before.survivors == [process] && before.reserved == 1001...1010)
    #expect(await next.find(RequestName("1"), isRepeated: false) == .entry(entry(1, "1", .settled)))
    next.close()
  }

  @Test("A record that was removed while no daemon ran is not taken for one that was never made")
  func removedBetweenDaemons() async throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/session", withIntermediateDirectories: true)
    let first = store()
    #expect(await first.find(RequestName("1"), isRepeated: true) == .never)
    _ = await note(entry(1, "1", .delivering), in: first)
    first.close()
    try FileManager.default.removeItem(atPath: folder + "/state")
    let next = store()
    #expect(
      await next.find(RequestName("1"), isRepeated: true)
        == .unknown("the record of the time before is lost"))
    #expect(await next.find(RequestName("2"), isRepeated: false) == .never)
    next.close()
  }

  @Test("another process locks it: who does not need it does not wait") func locked() async throws {
    let first = store()
    _ = await note(entry(1, "1"), in: first)
    let other = try Database(path: path)
    try other.run("BEGIN IMMEDIATE")
    var isWritten = false
    first.record(entry(1, "1", .delivering)) { _ in isWritten = true }
    #expect(first.isNew(RequestName("2")))
    #expect(!isWritten)
    try other.run("ROLLBACK")
    _ = await first.find(RequestName("1"), isRepeated: false)
    #expect(isWritten)
    first.close()
  }

  @Test("a request that is accepted while its name is looked for is found, by all who look for it")
  func acceptedMeanwhile() async throws {
    let first = store()
    _ = await note(entry(1, "1"), in: first)
    let other = try Database(path: path)
    try other.run("BEGIN IMMEDIATE")
    // The thread waits to write this, and answers afterwards.
    first.record(entry(1, "1", .delivering))
    let searches = (0..<3).map { _ in
      Task.immediate { await first.find(RequestName("2"), isRepeated: true) }
    }
    first.record(entry(2, "2"))
    try other.run("ROLLBACK")
    for search in searches { #expect(await search.value == .entry(entry(2, "2"))) }
    // Nothing is left of the searches: one more asks once.
    #expect(await first.find(RequestName("2"), isRepeated: true) == .entry(entry(2, "2")))
    first.close()
  }

  @Test("closing does what waits for it") func closing() async {
    let first = store()
    var isWritten = false
    first.record(entry(1, "1")) { isWritten = $0 }
    first.close()
    #expect(isWritten)
  }
}
