import Foundation
import LaunchRules
import Testing

@testable import Records

@Suite("The record of requests")
final class RequestRecordTests {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("launch-services-record-" + UUID().uuidString).path
  var path: String { folder + "/requests.sqlite" }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func record(limit: Int = 100, age: Int = 3600) throws -> RequestRecord {
    try RequestRecord(path: path, limit: limit, age: age)
  }

  private func entry(_ number: UInt64, _ id: String? = nil, time: UInt64 = 1000) -> RequestEntry {
    RequestEntry(
      number: number, time: time, caller: "com.example.mail", name: id.map { RequestName($0) },
      subject: "photos:x",
      handler: "com.example.photos", progress: .settled, fate: "delivered")
  }

  @Test("gives back what was written, also to the next one") func written() throws {
    var settled = entry(7, "id-1")
    settled.progress = .settled
    settled.launch = "cold"
    settled.fate = "delivered"
    settled.handled = true
    settled.pid = 42
    settled.fingerprint = .max
    settled.trail = [.init("resolved", at: 5), .init("delivered", at: 9)]
    try record().save(settled, now: 1000)
    let next = try record()
    #expect(try next.find(RequestName("id-1")) == settled)
    #expect(try next.lastNumber() == 7)
  }

  @Test("gives no number out again that may have been given out") func reserved() throws {
    try record().reserve(1000)
    #expect(try record().lastNumber() == 1000)
    try record().save(entry(1001), now: 1000)
    #expect(try record().lastNumber() == 1001)
  }

  @Test("finds a request under its name, whoever has asked") func callers() throws {
    let record = try record()
    var other = entry(1, "same")
    other.caller = "com.example.other"
    try record.save(other, now: 1000)
    #expect(try record.find(RequestName("same")) == other)
    #expect(try record.find(RequestName("same", scope: "com.example.ios")) == nil)
  }

  @Test("is written over as a request goes on") func progress() throws {
    let record = try record()
    var entry = entry(1, "id")
    try record.save(entry, now: 1000)
    entry.progress = .delivering
    try record.save(entry, now: 1000)
    #expect(try record.recent(limit: 10) == [entry])
  }

  @Test("lists no more than fit into the bytes that are asked for") func bytes() throws {
    let record = try record()
    for number in 1...5 {
      var entry = entry(UInt64(number))
      entry.subject = "photos:" + String(repeating: "x", count: 1000)
      try record.save(entry, now: 1000)
    }
    #expect(try record.recent(limit: 9, bytes: 2000).map(\.number) == [5, 4])
    #expect(try record.recent(limit: 9, bytes: 1).map(\.number) == [5])
  }

  @Test("lists the newest first, for a handler, of a caller, and since a time") func recent()
    throws
  {
    let record = try record()
    var other = entry(3, time: 3000)
    other.handler = "com.example.notes"
    other.caller = "/usr/bin/lsopen"
    try record.save([entry(1), entry(2, time: 2000), other], now: 3000)
    func numbers(_ entries: [RequestEntry]) -> [UInt64] { entries.map(\.number) }
    #expect(numbers(try record.recent(limit: 2)) == [3, 2])
    #expect(numbers(try record.recent(limit: 9, handler: "com.example.photos")) == [2, 1])
    #expect(numbers(try record.recent(limit: 9, handler: "COM.example.Photos")) == [2, 1])
    #expect(numbers(try record.recent(limit: 9, caller: "/usr/bin/lsopen")) == [3])
    #expect(numbers(try record.recent(limit: 9, since: 2000)) == [3, 2])
  }

  @Test("forgets what is too much") func tooMuch() throws {
    let record = try record(limit: 3)
    try record.save((1...5).map { entry($0) }, now: 1000)
    try record.prune(now: 1000)
    #expect(try record.recent(limit: 9).map(\.number) == [5, 4, 3])
  }

  @Test("forgets nothing because numbers are left out, as at each start of the daemon")
  func gaps() throws {
    let record = try record(limit: 20)
    let numbers = (0..<20).map { UInt64(1 + 1000 * $0) }
    try record.save(numbers.map { entry($0) }, now: 1000)
    try record.prune(now: 1000)
    #expect(try record.recent(limit: 99).map(\.number) == numbers.reversed())
  }

  @Test("forgets no request that is under way, however many were settled since, or how long ago")
  func underWay() throws {
    let record = try record(limit: 2000, age: 10)
    var first = entry(1, "mine")
    first.progress = .delivering
    try record.save(first, now: 1000)
    try record.save((2...1100).map { entry($0, time: 60_000_000) }, now: 60_000_000)
    try record.prune(now: 60_000_000)
    #expect(try record.find(RequestName("mine")) == first)
    // What an earlier daemon has left is nobody's any more when it is too old.
    let next = try self.record(limit: 3, age: 10)
    try next.prune(now: 1000)
    #expect(try next.recent(limit: 9).map(\.number) == [1100, 1099, 1098, 1])
    let last = try self.record(limit: 3000, age: 10)
    try last.save((1101...2200).map { entry($0, "\($0)", time: 60_000_000) }, now: 1000)
    try last.prune(now: 60_000_000)
    #expect(try last.find(RequestName("mine")) == nil)
  }

  @Test("forgets what is too old, but for the newest 1,000 with a name") func tooOld() throws {
    let record = try record(limit: 5000, age: 10)
    try record.save((1...1200).map { entry($0, "\($0)") }, now: 1000)
    try record.save([entry(1201)], now: 1000)
    try record.prune(now: 9_000_000)
    #expect(try record.recent(limit: 9999).count == 1201)
    try record.prune(now: 60_000_000)
    #expect(try record.recent(limit: 9999).map(\.number) == (201...1200).reversed())
  }

  @Test("requests without a name push out none that has one") func named() throws {
    let record = try record(limit: 3)
    try record.save([entry(1, "mine")] + (2...9).map { entry($0) }, now: 1000)
    try record.prune(now: 1000)
    #expect(try record.recent(limit: 9).map(\.number) == [9, 8, 7, 1])
  }

  @Test("prunes with the first write of each session, however short they are")
  func prunesAtFirst() throws {
    for session in 0..<5 as Range<UInt64> {
      let record = try record(limit: 10)
      try record.save((1...20).map { entry(session * 100 + $0) }, now: 1000)
      #expect(try record.recent(limit: 1000).count == 10)
    }
  }

  @Test("prunes by itself") func prunesItself() throws {
    let record = try record(limit: 10)
    for number in 1...250 as ClosedRange<UInt64> { try record.save(entry(number), now: 1000) }
    #expect(try record.recent(limit: 1000).count <= 110)
  }

  @Test("of a caller is not pushed out by another, nor by those of one minute")
  func flood() throws {
    func flood(from origin: String, _ numbers: ClosedRange<UInt64>) -> [RequestEntry] {
      numbers.map {
        var entry = entry($0, "flood-\($0)")
        entry.origin = origin
        return entry
      }
    }
    let record = try record(limit: 10)
    try record.save([entry(1, "mine"), entry(2, "mine too")], now: 1000)
    try record.save(flood(from: "a", 3...14) + flood(from: "b", 15...18), now: 1000)
    try record.prune(now: 1000)
    #expect(try record.recent(limit: 99).count == 18, "all are of this minute")
    try record.prune(now: 61_000_000)
    #expect(
      try record.recent(limit: 99).map(\.number) == [18, 17, 16, 15, 14, 13, 12, 11, 2, 1])
    try record.save(flood(from: "c", 19...100), now: 61_000_000)
    try record.prune(now: 61_000_000)
    let kept = try record.recent(limit: 99).map(\.number)
    #expect(kept.count == 40 && kept.suffix(2) == [2, 1])
  }

  @Test(
    "cuts those who have most to the same number",
    arguments: [
      ([], 10, .max), ([3, 4], 10, .max), ([2, 12, 4], 10, 4), ([100, 100], 9, 4),
      ([5, 5, 5], 2, 0),
    ] as [([Int], Int, Int)])
  func shares(_ counts: [Int], _ total: Int, _ most: Int) {
    #expect(FairShare.most(of: counts, total: total) == most)
  }

  @Test("of a program is not pushed out by all the processes that another program has started")
  func floodOfProcesses() throws {
    let record = try record(limit: 10)
    func request(_ number: UInt64, of origin: String) -> RequestEntry {
      var entry = entry(number, "id-\(number)")
      entry.origin = origin
      return entry
    }
    try record.save((1...3).map { request($0, of: "shell\nvictim-\($0)") }, now: 1000)
    // Each of its processes asks once, in a group of its own.
    try record.save(
      (4...40).map { request($0, of: "shell\nattacker\n\($0)\nchild-\($0)") }, now: 1000)
    try record.prune(now: 61_000_000)
    #expect(
      try record.recent(limit: 99).map(\.number) == [40, 39, 38, 37, 36, 35, 34, 3, 2, 1])
    // Those beside the shell lose nothing either.
    try record.save((41...43).map { request($0, of: "other") }, now: 1000)
    try record.save((44...60).map { request($0, of: "shell\nattacker\n\($0)") }, now: 1000)
    try record.prune(now: 61_000_000)
    let kept = Set(try record.recent(limit: 99).map(\.number))
    #expect(kept.isSuperset(of: [1, 2, 3, 41, 42, 43]) && kept.count == 10, "\(kept)")
  }

  @Test("counts what is settled in the index") func indexes() throws {
    try record().save(entry(1), now: 1000)
    let database = try Database(path: path)
    for condition in ["IS NULL", "IS NOT NULL"] {
      var plan: [String] = []
      try database.run(
        """
        EXPLAIN QUERY PLAN SELECT origin, number FROM requests WHERE progress = 'settled'
          AND client_id \(condition) ORDER BY origin, number
        """
      ) { plan.append($0.text(3) ?? "") }
      #expect(plan.count == 1 && plan[0].contains("USING INDEX settled_"), "\(plan)")
    }
  }

  @Test("of version 3 goes on, and its requests are found under their identifiers alone")
  func version3() throws {
    do {
      let old = try Database(path: path)
      for statement in Self.version3 { try old.run(statement) }
    }
    let (record, aside) = try RequestRecord.open(path: path, limit: 10, age: 10)
    #expect(aside == nil)
    let found = try #require(try record.find(RequestName("id-1")))
    #expect(found.caller == "com.example.b" && found.number == 8 && found.progress == .delivering)
    #expect(try record.recent(limit: 9).map(\.number) == [8, 3])
    #expect(try record.lastNumber() == 1000)
    #expect(try record.running().map(\.pid) == [42])
    #expect(try record.running().map(\.successor) == [nil])
    #expect(
      try RequestRecord.open(path: path, limit: 10, age: 10).0.find(RequestName("id-1")) == found)
  }

  private static let version3 = [
    """
    CREATE TABLE requests (
      number INTEGER PRIMARY KEY, time INTEGER NOT NULL, caller TEXT NOT NULL, client_id TEXT,
      subject TEXT NOT NULL, fingerprint INTEGER NOT NULL, handler TEXT NOT NULL,
      progress TEXT NOT NULL, launch TEXT, fate TEXT, detail TEXT, handled INTEGER NOT NULL,
      pid INTEGER NOT NULL, trail TEXT NOT NULL)
    """,
    "CREATE UNIQUE INDEX by_client ON requests (caller, client_id) WHERE client_id IS NOT NULL",
    "CREATE TABLE reserved (id INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
    "CREATE INDEX by_time ON requests (time)",
    """
    CREATE TABLE running (
      pid INTEGER PRIMARY KEY, application TEXT NOT NULL, seat INTEGER NOT NULL,
      start_time INTEGER NOT NULL, is_ours INTEGER NOT NULL, is_suspended INTEGER NOT NULL)
    """,
    """
    CREATE TABLE starting (
      application TEXT NOT NULL, seat INTEGER NOT NULL, token INTEGER NOT NULL, unit TEXT,
      PRIMARY KEY (application, seat))
    """,
    """
    INSERT INTO requests VALUES
      (3, 10, 'com.example.a', NULL, 'photos:1', 5, 'h', 'settled', 'cold', 'delivered', NULL, 1, 42, 'a:1'),
      (7, 11, 'com.example.a', 'id-1', 'photos:1', 5, 'h', 'settled', 'cold', 'delivered', NULL, 1, 42, ''),
      (8, 12, 'com.example.b', 'id-1', 'photos:1', 5, 'h', 'delivering', NULL, NULL, NULL, 0, 42, '')
    """,
    "INSERT INTO reserved VALUES (1, 1000)",
    "INSERT INTO running VALUES (42, 'h', 0, 7, 1, 0)",
    "PRAGMA user_version = 3",
  ]

  @Test("of version 4 goes on") func version4() throws {
    let process = RunningProcess(
      application: "com.example.photos", slot: 0, pid: 10, startTime: 5, isOurs: true)
    try record().add(process)
    do {
      let old = try Database(path: path)
      for column in ["successor", "successor_start_time"] {
        try old.run("ALTER TABLE running DROP COLUMN \(column)")
      }
      try old.run("DROP TABLE sessions")
      try old.run("PRAGMA user_version = 4")
    }
    let (record, aside) = try RequestRecord.open(path: path, limit: 10, age: 10)
    #expect(aside == nil)
    #expect(try record.running() == [process])
  }

  @Test("of version 5 goes on, and keeps sessions") func version5() throws {
    try record().save(entry(1, "mine"), now: 1000)
    do {
      let old = try Database(path: path)
      try old.run("DROP TABLE sessions")
      try old.run("PRAGMA user_version = 5")
    }
    let (record, aside) = try RequestRecord.open(path: path, limit: 10, age: 3600)
    #expect(aside == nil)
    #expect(try record.find(RequestName("mine")) == entry(1, "mine"))
    let sessions = [7, 9].map {
      StartedSession(number: $0, startTime: 5, application: "com.example.photos", boot: "b")
    }
    for session in sessions { try record.add(session) }
    #expect(try record.sessions() == sessions)
    try record.remove(session: 7)
    #expect(try self.record().sessions() == [sessions[1]])
  }

  @Test("says that a row is damaged which looks right") func damagedRow() throws {
    let record = try record()
    try record.save(entry(1, "mine"), now: 1000)
    try Database(path: path).run("UPDATE requests SET fate = 'vetoed'")
    let error = #expect(throws: DatabaseError.self) { try record.find(RequestName("mine")) }
    #expect(error?.isDamage == true)
    #expect(error?.description == "request 1 is not as it was written")
  }

  @Test("that is damaged is moved aside, and a new one begins") func damaged() throws {
    try Data("this is no database, and long enough to be seen as one".utf8)
      .write(to: URL(filePath: path))
    let (record, aside) = try RequestRecord.open(path: path, limit: 10, age: 10)
    #expect(aside?.path == path + ".damaged")
    try record.save(entry(1), now: 1000)
    #expect(try record.lastNumber() == 1)
  }

  @Test("of another version is moved aside whole, and a new one begins")
  func otherVersion() throws {
    do {
      let old = try Database(path: path)
      try old.run("PRAGMA journal_mode = WAL")
      try old.run("CREATE TABLE requests (number INTEGER PRIMARY KEY)")
      try old.run("INSERT INTO requests VALUES (7)")
    }
    let (record, aside) = try RequestRecord.open(path: path, limit: 10, age: 10)
    let moved = try #require(aside).path
    #expect(moved == path + ".version-0")
    #expect(aside?.reason.description == "it has the form of version 0 of the record")
    try record.save(entry(1), now: 1000)
    #expect(try record.lastNumber() == 1)
    var kept: [Int64] = []
    try Database(path: moved).run("SELECT number FROM requests") { kept.append($0.integer(0)) }
    #expect(kept == [7])
    // The new one is used from then on.
    #expect(try RequestRecord.open(path: path, limit: 10, age: 10).aside == nil)
  }

  @Test("that cannot be written says why") func unwritable() throws {
    #expect(throws: DatabaseError.self) {
      try RequestRecord(path: folder + "/missing/requests.sqlite", limit: 1, age: 1)
    }
  }

  @Test("keeps any text as it is") func anyText() throws {
    let record = try record()
    var entry = entry(1, "'; DROP TABLE requests; --")
    entry.subject = "photos:\u{1b}[31m\n'\"ü"
    try record.save(entry, now: 1000)
    #expect(try record.find(try #require(entry.name)) == entry)
  }

  @Test("does not believe in an instance with an absurd number") func absurdSlot() throws {
    let record = try record()
    for slot in [-1, Int(Int32.max) + 1, Int.max] {
      try record.add(
        RunningProcess(
          application: "com.example.photos", slot: slot, pid: 10, startTime: 5, isOurs: true))
      #expect(try record.running() == [])
    }
  }

  @Test("remembers which processes are being started") func starts() throws {
    var first = ProcessStart(application: "com.example.photos", slot: 0, token: .max)
    let second = ProcessStart(
      application: "com.example.photos", slot: 1, token: 7, unit: "app-photos@1.service")
    try record().begin(second)
    try record().begin(first)
    #expect(try record().starts() == [first, second])
    first.token = 8
    try record().begin(first)
    #expect(try record().starts() == [first, second])
    try record().endStart(of: "com.example.photos", slot: 0)
    #expect(try record().starts() == [second])
  }

  @Test("remembers which processes run") func processes() throws {
    let first = RunningProcess(
      application: "com.example.photos", slot: 0, pid: 10, startTime: 5, isOurs: true,
      successor: .init(pid: 12, startTime: 7))
    let second = RunningProcess(
      application: "com.example.photos", slot: 1, pid: 11, startTime: 6, isOurs: false)
    try record().add(second)
    try record().add(first)
    #expect(try record().running() == [first, second])
    try record().remove(pid: 10)
    #expect(try record().running() == [second])
  }
}
