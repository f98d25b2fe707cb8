import Foundation
import Host
import Testing

@MainActor @Suite("A watch on one file", .timeLimit(.minutes(10)))
struct FileWatchTests {
  private let folder: TemporaryFolder
  private let changes = EventStream<String>()

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "tells of each turn of its name, and of no other", arguments: ["removed", "moved", "replaced"])
  func turns(_ turn: String) async throws {
    try folder.write("1", to: "A")
    let watch = try FileWatch(folder["A"]) { [changes] in changes.add(turn) }
    let other = try FileWatch(folder["B"]) { [changes] in changes.add("other") }
    try folder.write("2", to: "C")
    switch turn {
    case "removed": try FileManager.default.removeItem(atPath: folder["A"])
    case "moved": try FileManager.default.moveItem(atPath: folder["A"], toPath: folder["D"])
    default: try #require(unsafe rename(folder["C"], folder["A"]) == 0)
    }
    #expect(try await changes.next() == turn)
    withExtendedLifetime((watch, other)) {}
  }

  @Test("tells that the folder has gone, or has another path", arguments: [true, false])
  func folderGone(isRemoved: Bool) async throws {
    let inner = try folder.makeFolder("inner")
    let watch = try FileWatch(inner + "/A") { [changes] in changes.add("") }
    if isRemoved {
      try FileManager.default.removeItem(atPath: inner)
    } else {
      try FileManager.default.moveItem(atPath: inner, toPath: folder["other"])
    }
    _ = try await changes.next()
    withExtendedLifetime(watch) {}
  }

  @Test("needs the folder") func missing() {
    #expect(throws: Errno.noSuchFile) { try FileWatch(folder["none/A"]) {} }
  }
}
