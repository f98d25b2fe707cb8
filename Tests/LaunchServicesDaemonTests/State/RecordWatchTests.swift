import Foundation
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("The watch of the record", .timeLimit(.minutes(30)))
struct RecordWatchTests {
  @Test("The removal of the file is told while nothing is written, also of a file made again")
  func removal() async throws {
    let folder = try StateFolder()
    try "1".write(toFile: folder.file("record"), atomically: false, encoding: .utf8)
    let changes = EventStream<Bool>()
    let watch = RecordWatch(folder.file("record"))
    watch.onChange = { if !folder.has("record") { changes.add(true) } }
    watch.begin()
    try folder.remove("record")
    #expect(try await changes.next())
    try "2".write(toFile: folder.file("record"), atomically: false, encoding: .utf8)
    watch.begin()
    try folder.remove("record")
    #expect(try await changes.next())
    watch.end()
  }

  @Test("Without a file nothing is watched, and nothing fails") func noFile() throws {
    let folder = try StateFolder()
    let watch = RecordWatch(folder.file("record"))
    watch.begin()
    watch.end()
  }
}
