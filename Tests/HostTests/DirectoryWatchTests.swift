import Foundation
import TemporaryFolders
import Testing

@testable import Host

@MainActor @Suite("A watch on folders of applications", .timeLimit(.minutes(30)))
struct DirectoryWatchTests {
  private let folder: TemporaryFolder
  private let changes = EventStream<DirectoryWatch.Change>()

  init() throws { folder = try TemporaryFolder() }

  private func watch(_ names: String...) throws -> DirectoryWatch {
    try DirectoryWatch(folders: names.map { folder[$0] }) { [changes] in changes.add($0) }
  }

  private func change(folders: [String] = [], applications: [String] = []) -> DirectoryWatch.Change
  {
    .init(
      folders: Set(folders.map { folder[$0] }), applications: Set(applications.map { folder[$0] }))
  }

  private func makeLink(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder[name], withDestinationPath: folder[target])
  }

  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: folder[name], toPath: folder[other])
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: folder[name])
  }

  @Test("tells of a new, a changed and a removed property list") func loose() async throws {
    try folder.makeFolder("A")
    let watch = try watch("A")
    try folder.writeElsewhere("1", to: "A/x.plist")
    #expect(try await changes.next() == change(applications: ["A/x.plist"]))
    try folder.writeElsewhere("2", to: "A/x.plist")
    #expect(try await changes.next() == change(applications: ["A/x.plist"]))
    try move("A/x.plist", to: "A/y.plist")
    #expect(try await changes.next() == change(applications: ["A/x.plist", "A/y.plist"]))
    try remove("A/y.plist")
    #expect(try await changes.next() == change(applications: ["A/y.plist"]))
    #expect(watch.unwatched.isEmpty)
  }

  @Test("tells of entitlements beside a property list") func entitlements() async throws {
    try folder.makeFolder("A/ios.app")
    try folder.makeFolder("A/mac.app/Contents")
    let watch = try watch("A")
    try folder.write("1", to: "A/x.entitlements")
    #expect(try await changes.next() == change(applications: ["A/x.plist"]))
    try folder.write("1", to: "A/ios.app/archived-expanded-entitlements.xcent")
    #expect(try await changes.next() == change(applications: ["A/ios.app"]))
    try folder.write("2", to: "A/ios.app/archived-expanded-entitlements.xcent")
    #expect(try await changes.next() == change(applications: ["A/ios.app"]))
    try folder.write("1", to: "A/mac.app/Contents/mac.entitlements")
    #expect(try await changes.next() == change(applications: ["A/mac.app"]))
    withExtendedLifetime(watch) {}
  }

  @Test("tells of changes inside a bundle of either layout, whenever it came") func bundles()
    async throws
  {
    try folder.makeFolder("A/old.app/Contents")
    let watch = try watch("A")
    try folder.writeElsewhere("1", to: "A/old.app/Contents/Info.plist")
    #expect(try await changes.next() == change(applications: ["A/old.app"]))
    try folder.makeFolder("A/ios.app")
    try folder.makeFolder("A/mac.app")
    #expect(try await changes.next() == change(applications: ["A/ios.app", "A/mac.app"]))
    try folder.writeElsewhere("1", to: "A/ios.app/Info.plist")
    #expect(try await changes.next() == change(applications: ["A/ios.app"]))
    try folder.makeFolder("A/mac.app/Contents")
    #expect(try await changes.next() == change(applications: ["A/mac.app"]))
    try folder.writeElsewhere("1", to: "A/mac.app/Contents/Info.plist")
    #expect(try await changes.next() == change(applications: ["A/mac.app"]))
    try remove("A/mac.app")
    #expect(try await changes.next() == change(applications: ["A/mac.app"]))
    withExtendedLifetime(watch) {}
  }

  @Test("follows a bundle to its new name and forgets the old one") func renamedBundle()
    async throws
  {
    try folder.makeFolder("A/a.app")
    let watch = try watch("A")
    try move("A/a.app", to: "A/b.app")
    #expect(try await changes.next() == change(applications: ["A/a.app", "A/b.app"]))
    try folder.writeElsewhere("1", to: "A/b.app/Info.plist")
    #expect(try await changes.next() == change(applications: ["A/b.app"]))
    try move("A/b.app", to: "away.app")
    #expect(try await changes.next() == change(applications: ["A/b.app"]))
    try folder.writeElsewhere("1", to: "away.app/Info.plist")
    try folder.writeElsewhere("1", to: "A/last.plist")
    #expect(try await changes.next() == change(applications: ["A/last.plist"]))
    withExtendedLifetime(watch) {}
  }

  @Test("is silent about names that are no applications") func otherNames() async throws {
    try folder.makeFolder("A/a.app/Contents/Resources")
    let watch = try watch("A")
    try folder.writeElsewhere("1", to: "A/.x.plist.swp")
    try folder.writeElsewhere("1", to: "A/README")
    try folder.makeFolder("A/folder")
    try folder.writeElsewhere("1", to: "A/a.app/Contents/Resources/Info.plist")
    try folder.writeElsewhere("1", to: "A/last.plist")
    #expect(try await changes.next() == change(applications: ["A/last.plist"]))
    withExtendedLifetime(watch) {}
  }

  @Test("waits for a folder that does not exist yet, from the first folder above it that does")
  func missingFolder() async throws {
    let watch = try watch("a/b/A")
    try folder.makeFolder("other")
    try folder.makeFolder("a/b/A/x.app")
    #expect(try await changes.next() == change(folders: ["a/b/A"]))
    try folder.writeElsewhere("1", to: "a/b/A/x.app/Info.plist")
    #expect(try await changes.next() == change(applications: ["a/b/A/x.app"]))
    withExtendedLifetime(watch) {}
  }

  @Test("goes on after its folder was removed and made again") func madeAgain() async throws {
    try folder.makeFolder("a/A")
    let watch = try watch("a/A")
    try remove("a")
    #expect(try await changes.next() == change(folders: ["a/A"]))
    try folder.makeFolder("a/A")
    #expect(try await changes.next() == change(folders: ["a/A"]))
    try folder.writeElsewhere("1", to: "a/A/x.plist")
    #expect(try await changes.next() == change(applications: ["a/A/x.plist"]))
    withExtendedLifetime(watch) {}
  }

  @Test("goes on after a folder above was exchanged for another") func exchanged() async throws {
    try folder.makeFolder("a/b/A/x.app")
    try folder.makeFolder("new/b/A/x.app")
    let watch = try watch("a/b/A")
    try move("a", to: "old")
    try move("new", to: "a")
    #expect(try await changes.next() == change(folders: ["a/b/A"]))
    try folder.writeElsewhere("1", to: "old/b/A/x.app/Info.plist")
    try folder.writeElsewhere("1", to: "a/b/A/y.plist")
    #expect(try await changes.next() == change(applications: ["a/b/A/y.plist"]))
    try folder.writeElsewhere("1", to: "a/b/A/x.app/Info.plist")
    #expect(try await changes.next() == change(applications: ["a/b/A/x.app"]))
    withExtendedLifetime(watch) {}
  }

  @Test("sees a folder under each of the names it was asked for") func twoNames() async throws {
    try folder.makeFolder("A/x.app")
    try makeLink("L", to: "A")
    let watch = try watch("A", "L")
    try folder.writeElsewhere("1", to: "A/x.app/Info.plist")
    #expect(try await changes.next() == change(applications: ["A/x.app", "L/x.app"]))
    withExtendedLifetime(watch) {}
  }

  @Test("follows a symbolic link to where it leads now") func linkTurned() async throws {
    try folder.makeFolder("one")
    try folder.makeFolder("two")
    try makeLink("A", to: "one")
    let watch = try watch("A")
    try remove("A")
    try makeLink("A", to: "two")
    #expect(try await changes.next() == change(folders: ["A"]))
    try folder.writeElsewhere("1", to: "one/x.plist")
    try folder.writeElsewhere("1", to: "two/y.plist")
    #expect(try await changes.next() == change(applications: ["A/y.plist"]))
    withExtendedLifetime(watch) {}
  }

  @Test("notices that the folder a symbolic link leads to is gone") func linkTargetGone()
    async throws
  {
    try folder.makeFolder("far/target")
    try makeLink("A", to: "far/target")
    let watch = try watch("A")
    try move("far/target", to: "far/elsewhere")
    #expect(try await changes.next() == change(folders: ["A"]))
    withExtendedLifetime(watch) {}
  }

  @Test("ends where links form a cycle") func cycle() async throws {
    try folder.makeFolder("A")
    try makeLink("A/x.app", to: "A")
    let watch = try watch("A")
    try folder.writeElsewhere("1", to: "A/y.plist")
    // The link makes the folder a bundle too, in which something was created.
    #expect(try await changes.next() == change(applications: ["A/y.plist", "A/x.app"]))
    withExtendedLifetime(watch) {}
  }

  @Test("reports a burst once, and soon although it does not end") func burst() async throws {
    try folder.makeFolder("A")
    let watch = try watch("A")
    for number in 0..<20 { try folder.writeElsewhere("1", to: "A/\(number).plist") }
    let names = (0..<20).map { "A/\($0).plist" }
    #expect(try await changes.next() == change(applications: names))

    var isTold = false
    let told = Task {
      _ = try await changes.next()
      isTold = true
    }
    while !isTold {
      try folder.writeElsewhere("1", to: "A/0.plist")
      try await pass(.milliseconds(10))
    }
    try await told.value
    withExtendedLifetime(watch) {}
  }

  @Test("takes very many changes for a change of their folder") func veryMany() async throws {
    try folder.makeFolder("A")
    let watch = try watch("A")
    for number in 0...1000 { try makeLink("A/\(number).plist", to: "nothing") }
    #expect(try await changes.next() == change(folders: ["A"]))
    withExtendedLifetime(watch) {}
  }

  @Test("reports every folder when events were lost, and goes on") func overflow() async throws {
    try folder.makeFolder("A/x.app")
    try folder.makeFolder("B")
    // Other tests would lose their events, too.
    let watch = try DirectoryWatch(folders: [folder["A"], folder["B"]], sharesInstance: false) {
      [changes] in changes.add($0)
    }
    let text = try String(
      contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let room = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.write("", to: "A/x.plist")))
    for _ in 0...(room / 2) {
      // Two different events in turn: the kernel puts equal ones together.
      fchmod(file.fileDescriptor, 0o600)
      fchmod(file.fileDescriptor, 0o600)
      unsafe Glibc.write(file.fileDescriptor, "x", 1)
    }
    #expect(try await changes.next().folders == [folder["A"], folder["B"]])
    #expect(watch.pathsBeingWritten == [])
    try file.close()
    #expect(try await changes.next() == change(applications: ["A/x.plist"]))
    try folder.writeElsewhere("1", to: "A/x.app/Info.plist")
    #expect(try await changes.next() == change(applications: ["A/x.app"]))
  }

  @Test("tells nothing any more when it is dropped, and gives its queue back") func dropped()
    async throws
  {
    try folder.makeFolder("A")
    // A user has 128 queues unless told otherwise.
    for _ in 0..<200 {
      let dropped = try watch("A")
      try folder.writeElsewhere("1", to: "A/x.plist")
      _ = consume dropped
      try await pass(.zero)
    }
    let watch = try watch("A")
    try folder.writeElsewhere("1", to: "A/y.plist")
    #expect(try await changes.next() == change(applications: ["A/y.plist"]))
    withExtendedLifetime(watch) {}
  }

  @Test("says which folders it cannot watch") func unwatched() throws {
    try folder.makeFolder("A")
    let watch = try watch("A/x", "missing")
    watch.watch(folder["A\0"])
    #expect(watch.unwatched.keys.sorted() == [folder["A\0"]])
  }

  @Test("names a folder once, however many of its bundles it cannot watch") func exhausted() throws
  {
    for name in ["a", "b", "c"] { try folder.makeFolder("A/\(name).app/Contents") }
    var tree = try WatchedTree(mostWatches: 0)
    tree.watch(folder["A"])
    #expect(tree.unwatched.map(\.key) == [folder["A"]])
    #expect(tree.unwatched.values.map(\.errno) == [.noSpace])
  }

  @Test("names each of several folders, also one that is missing when nothing tells that it comes")
  func several() throws {
    try folder.makeFolder("A")
    var tree = try WatchedTree(mostWatches: 0)
    for name in ["A", "A/B", "C"] { tree.watch(folder[name]) }
    #expect(
      tree.unwatched.mapValues(\.errno) == [
        folder["A"]: .noSpace, folder["A/B"]: .noSpace, folder["C"]: .noSpace,
      ])
    var other = try WatchedTree()
    other.watch(folder["A/B"])
    #expect(other.unwatched.isEmpty)
  }
}
