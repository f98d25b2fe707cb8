import Foundation
import Host
import TemporaryFolders
import Testing

@MainActor @Suite("A watch on one file", .timeLimit(.minutes(30)))
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

  /// The descriptors of inotify instances that this process has open.
  private func instances() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name))
        == "anon_inode:inotify"
    }
  }

  @Test("watches of one process share an inotify instance, and each gets its own events")
  func shared() async throws {
    try folder.makeFolder("A")
    let others = EventStream<String>()
    let one = try FileWatch(folder["A/one"]) { [changes] in changes.add("one") }
    let before = try instances()
    var watches: [Any] = []
    for _ in 0..<20 {
      watches.append(try FileWatch(folder["A/x"]) {})
      watches.append(try DirectoryWatch(folders: [folder["A"]]) { _ in })
    }
    let other = try FileWatch(folder["A/one"]) { others.add("other") }
    #expect(try instances() == before)
    watches = []
    try folder.write("1", to: "A/one")
    #expect(try await changes.next() == "one")
    #expect(try await others.next() == "other")
    withExtendedLifetime((one, other)) {}
  }

  @Test("events from before a watch are not for the watch") func before() async throws {
    for name in ["A", "B"] { try folder.makeFolder(name) }
    let first = try FileWatch(folder["A/x"]) {}
    let end = try FileWatch(folder["B/end"]) { [changes] in changes.add("end") }
    try folder.write("1", to: "A/y")
    let second = try FileWatch(folder["A/y"]) { [changes] in changes.add("second") }
    try folder.write("1", to: "B/end")
    #expect(try await changes.next() == "end")
    try FileManager.default.removeItem(atPath: folder["A/y"])
    #expect(try await changes.next() == "second")
    try FileManager.default.removeItem(atPath: folder["B/end"])
    #expect(try await changes.next() == "end")
    withExtendedLifetime((first, second, end)) {}
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

  @Test("and the execution of a file is seen, also of a script", arguments: ["program", "script"])
  func execution(_ name: String) async throws {
    try folder.copyElsewhere("/bin/true", to: "program")
    try folder.writeElsewhere("#!/bin/sh\n", to: "script")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: folder["script"])
    let watch = try OpenWatch([folder["none"], folder[name]]) { [changes] in changes.add(name) }
    let end = try await run(
      Launch(executable: folder[name], arguments: [], environment: ["PATH": "/usr/bin:/bin"]))
    #expect(end == .exited(code: 0))
    #expect(try await changes.next() == name)
    withExtendedLifetime(watch) {}
  }

  @Test("needs the folder") func missing() {
    #expect(throws: Errno.noSuchFile) { try FileWatch(folder["none/A"]) {} }
  }
}
