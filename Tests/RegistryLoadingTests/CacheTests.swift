import ApplicationFolders
import Foundation
import Host
import LaunchRules
import Testing

@testable import RegistryLoading

@Suite("The cache of the property lists", .timeLimit(.minutes(30))) struct CacheTests {
  private let world: LoaderWorld
  private var list: String { world.path + "/Applications/a.plist" }

  init() throws {
    world = try LoaderWorld()
    try world.install("com.example.a", "From the file", at: "Applications/a.plist")
  }

  /// Writes a cache that belongs to the file on disk, and tells another name than the file.
  private func writeCache() throws {
    let order = PropertyListOrder(path: list)
    var record: ApplicationRecord
    repeat {
      // A file that was changed a moment ago is never current.
      var reading = ApplicationReading(of: list)
      reading.application?.declaration.name = "From the cache"
      record = order.record(of: reading)
    } while !order.isCurrent(record)
    try world.cache.write([record])
  }

  @Test("spares the next start reading what has not changed") func reused() async throws {
    try writeCache()
    await world.loader.start()
    #expect(world.name(of: "com.example.a") == "From the cache")
  }

  @Test("gives way to a file that has changed since") func changed() async throws {
    try writeCache()
    try world.install("com.example.a", "Changed", at: "Applications/a.plist")
    try world.install("com.example.b", "New", at: "Applications/b.plist")
    await world.loader.start()
    #expect(world.name(of: "com.example.a") == "Changed")
    #expect(world.name(of: "com.example.b") == "New")
  }

  @Test("does not bring back an application that is gone") func gone() async throws {
    try writeCache()
    try world.remove("Applications/a.plist")
    await world.loader.start()
    #expect(world.registry.identifiers == [])
  }

  @Test("is as good as none when it is damaged") func damaged() async throws {
    try writeCache()
    let file = world.path + "/cache"
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: file))
    await world.loader.start()
    #expect(world.name(of: "com.example.a") == "From the file")
  }

  @Test("is written at the latest when the daemon stops") func written() async throws {
    #expect(world.cache.read() == nil)
    await world.loader.start()
    world.loader.stop()
    let records = try #require(world.cache.read())
    #expect(records[list]?.application?.declaration.name == "From the file")
  }
}
