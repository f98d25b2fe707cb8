import DBusMainLoop
import Foundation
import Host
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Counted queries") struct QueryQuotasTests {
  private static let name = "quotas.plist"
  private let folder: StateFolder
  private let old: InstalledApplication
  private let photos: URLScheme
  private let music: URLScheme

  init() throws {
    folder = try StateFolder()
    old = try InstalledApplication.named("old")
    photos = try #require(URLScheme("photos"))
    music = try #require(URLScheme("music"))
  }

  /// The quotas of a daemon that starts now.
  private func quotas() -> QueryQuotas { QueryQuotas(file, Self.journal) }

  private var file: StateFile<QuotaState> { StateFile(path: folder.file(Self.name)) }

  private static let journal = Journal(program: "quota-tests", environment: [:], descriptor: -1)

  @Test("A counted scheme is stored at once, and the next daemon does not count it again")
  func stored() {
    #expect(quotas().count { $0.admit(photos, for: old) } == .counted)
    let next = quotas()
    #expect(next.count { $0.admit(photos, for: old) } == .alreadyCounted)
    #expect(next.count { $0.admit(music, for: old) } == .counted)
    #expect(quotas().counted.quotas[old.identifier]?.counted == [photos, music])
  }

  @Test(
    "A query that counts nothing writes nothing; a removed file is written again with all counts")
  func unchanged() throws {
    let quotas = quotas()
    _ = quotas.count { $0.admit(photos, for: old) }
    try folder.remove(Self.name)
    #expect(quotas.count { $0.admit(photos, for: old) } == .alreadyCounted)
    #expect(!folder.has(Self.name))
    quotas.store()
    #expect(self.quotas().counted.quotas[old.identifier]?.counted == [photos])
  }

  @Test("A reset application begins again, also for the next daemon; others keep their counts")
  func reset() throws {
    let other = try InstalledApplication.named("other")
    let quotas = quotas()
    for application in [old, other] { _ = quotas.count { $0.admit(photos, for: application) } }
    quotas.reset(old.identifier)
    #expect(Array(self.quotas().counted.quotas.keys) == [other.identifier])
    #expect(self.quotas().count { $0.admit(photos, for: old) } == .counted)
  }

  @Test("A stored file that is a link to itself cannot be read, and the log says so")
  func linkToItself() throws {
    let path = folder.file(Self.name)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    let log = Pipe()
    let journal = Journal(
      program: "quota-tests", environment: [:],
      descriptor: log.fileHandleForWriting.fileDescriptor)
    #expect(QueryQuotas(file, journal).counted.quotas.isEmpty)
    let text = String(decoding: log.fileHandleForReading.availableData, as: UTF8.self)
    #expect(text.contains(path), "\(text)")
  }

  @Test("Of a stored file, only valid identifiers and schemes count") func invalid() throws {
    var state = QuotaState()
    state.quotas[old.identifier.text] = .init(
      stamp: "1", schemes: ["photos", "no scheme", "photos"])
    state.quotas["no identifier"] = .init(stamp: "1", schemes: ["photos"])
    try file.write(state)
    #expect(quotas().counted.quotas.mapValues(\.counted) == [old.identifier: [photos]])
  }
}
