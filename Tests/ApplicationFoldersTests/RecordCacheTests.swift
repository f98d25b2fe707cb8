import Foundation
import LaunchRules
import TemporaryFolders
import Testing

@testable import ApplicationFolders

@Suite("The cache of what was read", .timeLimit(.minutes(30))) struct RecordCacheTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var cache: RecordCache { RecordCache(path: folder["cache/file"], program: "this") }

  /// One with diagnostics, one with nothing odd, one that cannot be registered.
  private func someRecords() throws -> [ApplicationRecord] {
    try folder.writeApplication("odd", claims: ["odd"], oddity: true)
    try folder.writeApplication("plain", claims: ["one", "two"])
    try folder.write("nonsense", to: "bad.plist")
    return folder.records(
      ["odd", "plain", "bad"].map { PropertyListOrder(path: folder["\($0).plist"]) }
    ).sorted
  }

  @Test("gives back what was written, diagnostics included") func roundTrip() throws {
    let records = try someRecords()
    try cache.write(records)
    let read = try #require(cache.read()).sorted
    #expect(read.map(\.bytes) == records.map(\.bytes))
    #expect(read.map(\.diagnostics.count) == [1, 1, 0])
    #expect(read.map(\.application) == records.map(\.application))
    let mode = try FileManager.default.attributesOfItem(atPath: folder["cache/file"])
    #expect(mode[.posixPermissions] as? Int == 0o600)
  }

  @Test("is as good as none when one byte differs, whichever") func flipped() throws {
    let bytes = RecordCache.encode(try someRecords(), "this")
    #expect(RecordCache.decode(bytes, "this") != nil)
    for place in bytes.indices {
      for bit in [UInt8(1), 0x80, 0xff] {
        var damaged = bytes
        damaged[place] ^= bit
        #expect(RecordCache.decode(damaged, "this") == nil, "byte \(place)")
      }
    }
  }

  @Test("is as good as none when it ends too early or too late, wherever") func cut() throws {
    let bytes = RecordCache.encode(try someRecords(), "this")
    for length in 0..<bytes.count {
      #expect(RecordCache.decode(Array(bytes.prefix(length)), "this") == nil, "\(length) bytes")
    }
    #expect(RecordCache.decode(bytes + [0], "this") == nil)
  }

  @Test("is as good as none when its parts contradict each other, and the checksum is right")
  func forged() throws {
    let bytes = RecordCache.encode(try someRecords(), "this").dropLast(8)
    for place in bytes.indices {
      var forged = Array(bytes)
      forged[place] = 0xff
      let sum = Checksum.of(forged[...])
      let table = RecordCache.decode(
        forged + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }, "this")
      // Whatever came through can be used.
      for record in table?.sorted ?? [] { _ = (record.application, record.diagnostics) }
    }
  }

  @Test("is of one build of the program") func otherProgram() throws {
    try cache.write(try someRecords())
    #expect(RecordCache(path: folder["cache/file"], program: "other").read() == nil)
  }

  @Test("is not believed when others may write it, or a link leads to it") func trust() throws {
    try cache.write([])
    #expect(cache.read() != nil)
    try FileManager.default.createSymbolicLink(
      atPath: folder["link"], withDestinationPath: folder["cache/file"])
    #expect(RecordCache(path: folder["link"], program: "this").read() == nil)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o620], ofItemAtPath: folder["cache/file"])
    #expect(cache.read() == nil)
  }

  @Test("may be missing, and its folder may be a file") func missing() throws {
    #expect(cache.read() == nil)
    try folder.write("", to: "cache")
    #expect(cache.read() == nil)
    #expect(throws: (any Error).self) { try cache.write([]) }
  }
}

@Suite("Reading many property lists", .timeLimit(.minutes(30))) struct ParallelReadingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func orders(_ count: Int) throws -> [PropertyListOrder] {
    try (0..<count).map {
      PropertyListOrder(path: try folder.writeApplication("app\($0)", claims: ["s\($0)"]))
    }
  }

  /// What was read when no file had changed within the last tick of the clock.
  private func settled(_ orders: [PropertyListOrder]) async -> PropertyListTable {
    var known = PropertyListTable()
    while true {
      let result = await ParallelReading.read(orders, known: known)
      if result.read.isEmpty { return known }
      for record in result.read { known.insert(record) }
    }
  }

  @Test("a file read in the moment of its change is read again, as its stamp may not show the next")
  func moment() throws {
    // On a busy machine the moment may be over before it is read.
    for _ in 0..<1000 {
      let order = PropertyListOrder(path: try folder.writeApplication("app"))
      if !order.isCurrent(order.read()) { return }
    }
    Issue.record("no file was read in the moment of its change")
  }

  @Test("reads each once, and again only what has changed") func again() async throws {
    let orders = try orders(600)
    let known = await settled(orders)
    try folder.writeApplication("app7", claims: ["other"])
    try FileManager.default.removeItem(atPath: folder["app8.plist"])
    try folder.write("<plist/>", to: "app9.entitlements")
    var told: [[Int]] = []
    let second = await ParallelReading.read(orders, known: known) { told.append([$0, $1]) }
    #expect(told == [[3, 3]])
    #expect(second.current.count == 597)
    #expect(
      Set(second.read.map(\.propertyList))
        == Set(["app7", "app8", "app9"].map { folder["\($0).plist"] }))
    #expect(second.read.filter { !$0.wasReadable }.map(\.propertyList) == [folder["app8.plist"]])
  }

  @Test("reads again what is read for another reason now") func circumstances() async throws {
    let order = PropertyListOrder(path: try folder.writeApplication("app"))
    let record = try #require(await settled([order])[order.path])
    #expect(order.isCurrent(record))
    var other = order
    other.isSystem = true
    #expect(!other.isCurrent(record))
    other = order
    other.definitions = ["A": "B"]
    #expect(!other.isCurrent(record))
    other = order
    other.registeredAt = 5
    #expect(!other.isCurrent(record))
    #expect(other.read().application?.installedAt == 5)
  }
}
