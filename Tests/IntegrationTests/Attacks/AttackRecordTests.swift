import BusContract
import Foundation
import Glibc
import Host
import LaunchServicesTesting
import Testing

@testable import Records

/// What broke "at most once": names that change, floods, damage, locks and files that go away.
@MainActor @Suite("Attack: the record of requests", .timeLimit(.minutes(30)))
struct AttackRecordTests {
  private func install(
    in world: Testbed, _ script: HandlerScript = .delegate()
  ) async throws -> ScriptedHandler {
    var script = script
    script.comesBack = .remembering
    return try await world.install("com.example.photos", schemes: ["photos"], script)
  }

  private func path(in world: Testbed) throws -> String {
    try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services/requests.sqlite"
  }

  private func named(_ name: String, in world: Testbed, isRepeated: Bool = false) -> Opening {
    var options = OpenOptions()
    options.requestID = name
    options.isRepeated = isRepeated
    return world.client.opening("photos:\(name)", options)
  }

  /// Nil for a receipt.
  private func refusal(of opening: Opening) async -> String? {
    do throws(Refusal) {
      _ = try await opening.receipt()
      return nil
    } catch {
      return error.name
    }
  }

  private func arrivals(_ photos: ScriptedHandler) -> [String] {
    photos.heard().flatMap { event -> [String] in
      if case .opened(let urls) = event { urls.map(\.url) } else { [] }
    }
  }

  private static let unknown = "org.launchservices.Error.DeliveryUnknown"
  private static let chance = "lsopen-7a1f6e0c9b1d4c538f073d5b1c0a9e42"

  @Test("a request of an application is found when its caller is somebody else after a crash")
  func otherName() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      #expect(try await mail.open("photos:1", requestID: Self.chance).isRepeated == false)
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await world.client.open("photos:1", requestID: Self.chance).isRepeated)
      #expect(arrivals(photos) == ["photos:1"])
    }
  }

  @Test("a flood of another caller pushes no request out") func flood() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>RecordLimit</key><integer>50</integer>")
      try await world.startDaemon()
      let photos = try await install(in: world)
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      _ = try await mail.open("photos:mine", requestID: Self.chance)
      for number in 0..<300 {
        _ = try await world.client.open("photos:1", requestID: "flood-\(number)")
      }
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await mail.open("photos:mine", requestID: Self.chance).isRepeated)
      #expect(arrivals(photos).filter { $0 == "photos:mine" }.count == 1)
    }
  }

  @Test(
    "damaged pages: nothing is delivered again, and the log says that the record is damaged",
    arguments: [true, false])
  func damage(whole: Bool) async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      for number in 0..<100 { _ = try await named("\(number)", in: world).receipt() }
      try await world.killDaemon()
      let path = try path(in: world)
      try Database(path: path).run("PRAGMA wal_checkpoint(TRUNCATE)")
      var bytes = try Data(contentsOf: URL(filePath: path))
      let pages = bytes.count / 4096
      try #require(pages > 12)
      for page in stride(from: 3, to: pages, by: 3) {
        // All of a page, or one byte of what is in it.
        let start = page * 4096 + (whole ? 0 : 4000)
        let count = whole ? 4096 : 1
        bytes.replaceSubrange(start..<start + count, with: Data(repeating: 0x5A, count: count))
      }
      try bytes.write(to: URL(filePath: path))
      try await world.startDaemon()
      for number in 0..<100 {
        let refusal = await refusal(of: named("\(number)", in: world))
        #expect(refusal == nil || refusal == Self.unknown)
      }
      #expect(try await named("new", in: world).receipt().isRepeated == false)
      #expect(arrivals(photos) == (0..<100).map { "photos:\($0)" } + ["photos:new"])
      let line = try await world.daemon.line(containing: "is damaged and has been moved aside")
      #expect(line.contains("moved-to=\(path).damaged"), "\(line)")
    }
  }

  @Test("after damage a repetition that says so is not taken for new, whoever asks")
  func repetitionAfterDamage() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      _ = try await named("1", in: world).receipt()
      try await world.killDaemon()
      let path = try path(in: world)
      try Database(path: path).run("PRAGMA wal_checkpoint(TRUNCATE)")
      try Data("no database, and long enough to be one".utf8).write(to: URL(filePath: path))
      try FileManager.default.removeItem(
        atPath: String(path.dropLast(7)) + ".identifiers")
      try await world.startDaemon()
      #expect(await refusal(of: named("1", in: world, isRepeated: true)) == Self.unknown)
      #expect(arrivals(photos) == ["photos:1"])
    }
  }

  @Test("another process locks it: all is answered, and nothing arrives twice after a crash")
  func locked() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      _ = try await named("1", in: world).receipt()
      let other = try Database(path: try path(in: world))
      try other.run("BEGIN IMMEDIATE")
      let opening = named("2", in: world)
      for _ in 0..<20 { _ = try await world.client.canOpen("photos:x") }
      // Its identifier is written beside the record.
      #expect(try await opening.receipt().outcome == .deliveredWarm)
      try await world.killDaemon()
      try other.run("ROLLBACK")
      try await world.startDaemon()
      let refusal = await refusal(of: named("2", in: world))
      #expect(refusal == nil || refusal == Self.unknown)
      #expect(arrivals(photos) == ["photos:1", "photos:2"])
    }
  }

  @Test(
    "writes fail at one step, and the daemon is killed: nothing is delivered twice",
    arguments: ["accepted", "delivering", "settled"])
  func failingWrites(step: String) async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      _ = try await named("0", in: world).receipt()
      let record = try Database(path: try path(in: world))
      try record.run(
        """
        CREATE TRIGGER failing BEFORE INSERT ON requests WHEN NEW.progress = '\(step)'
          BEGIN SELECT RAISE(ABORT, 'no'); END
        """)
      #expect(try await named("1", in: world).receipt().isRepeated == false)
      try await world.killDaemon()
      try record.run("DROP TRIGGER failing")
      try await world.startDaemon()
      let refusal = await refusal(of: named("1", in: world))
      #expect(refusal == nil || refusal == Self.unknown)
      #expect(arrivals(photos) == ["photos:0", "photos:1"])
    }
  }

  @Test("its folder is removed: the daemon says so, and knows its requests, and so does the next")
  func removed() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      _ = try await named("1", in: world).receipt()
      let path = try path(in: world)
      // At once: the daemon makes its file anew in a folder that is still there.
      let folder = URL(filePath: path).deletingLastPathComponent()
      let removed = URL(filePath: world.folder + "/removed")
      try FileManager.default.moveItem(at: folder, to: removed)
      try FileManager.default.removeItem(at: removed)
      // Nothing is asked meanwhile.
      try await world.daemon.line(containing: "was removed while it was in use")
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await named("1", in: world).receipt().isRepeated)
      #expect(arrivals(photos) == ["photos:1"])
      #expect(photos.pids.count == 1)
    }
  }

  @Test(
    "its folder is removed: what the user registered, chose and answered is stored again, and locked"
  )
  func stateRemoved() async throws {
    try await Testbed.run { world in
      _ = try await install(in: world)
      let allow = ["approvals", "allow", "photos", "com.example.photos", "--opener", "@web"]
      #expect(
        try await world.startProcess("lsregister", allow).hasEnded() == "exited with code 0")
      #expect(
        try await world.startProcess("lsregister", ["default", "photos", "com.example.photos"])
          .hasEnded() == "exited with code 0")
      let folder = URL(filePath: try path(in: world)).deletingLastPathComponent()
      let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        .subtracting(["desktop.plist"])
      let removed = URL(filePath: world.folder + "/removed")
      try FileManager.default.moveItem(at: folder, to: removed)
      try FileManager.default.removeItem(at: removed)
      try await world.daemon.line(containing: "was removed while it was in use")
      // Answered after what is stored again.
      _ = try await world.client.canOpen("photos:1")
      let now = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(before.subtracting(now).filter { !$0.hasPrefix("requests.") } == [])
      try await world.killDaemon()
      try await world.startDaemon()
      let approvals = try world.startProcess("lsregister", ["approvals"])
      try await approvals.line(containing: "photos")
    }
  }

  @Test("an older copy of its folder is put back: nothing is delivered again, and the log says why")
  func olderCopy() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      _ = try await named("1", in: world).receipt()
      try await world.killDaemon()
      let folder = URL(filePath: try path(in: world)).deletingLastPathComponent()
      let copy = URL(filePath: world.folder + "/copy")
      try FileManager.default.copyItem(at: folder, to: copy)
      try await world.startDaemon()
      _ = try await named("2", in: world).receipt()
      try await world.killDaemon()
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(at: copy, to: folder)
      try await world.startDaemon()
      try await world.daemon.line(containing: "replaced by an older copy, since the last request")
      #expect(await refusal(of: named("2", in: world, isRepeated: true)) == Self.unknown)
      #expect(try await named("1", in: world, isRepeated: true).receipt().isRepeated)
      #expect(try await named("3", in: world).receipt().isRepeated == false)
      #expect(arrivals(photos) == ["photos:1", "photos:2", "photos:3"])
    }
  }

  @Test("the lock file is removed: it is made and locked again") func lockRemoved() async throws {
    try await Testbed.run { world in
      let lock = try path(in: world).replacing("requests.sqlite", with: "lock")
      let folder = URL(filePath: lock).deletingLastPathComponent().path
      for _ in 1...2 {
        let count = world.daemon.lines.count
        try FileManager.default.removeItem(atPath: lock)
        try await waitUntil("the folder is locked again") {
          world.daemon.lines.dropFirst(count).contains {
            $0.contains("the lock file of the state folder was removed or replaced")
          }
        }
        #expect(try FolderLock.take(folder) == nil)
        #expect(FolderLock.owner(of: folder) == world.daemon.pid)
      }
    }
  }

  @Test(
    "another daemon has locked the folder meanwhile: the daemon says so, and no request arrives twice"
  )
  func lockTaken() async throws {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      _ = try await named("1", in: world).receipt()
      let lock = try path(in: world).replacing("requests.sqlite", with: "lock")
      kill(world.daemon.pid, SIGSTOP)
      try FileManager.default.removeItem(atPath: lock)
      let other = try #require(
        try FolderLock.take(URL(filePath: lock).deletingLastPathComponent().path))
      kill(world.daemon.pid, SIGCONT)
      let line = try await world.daemon.line(containing: "two daemons use the state folder")
      #expect(line.contains("pid=\(getpid())"), "\(line)")
      #expect(await refusal(of: named("1", in: world, isRepeated: true)) == Self.unknown)
      // The other daemon would not know that these were delivered.
      #expect(
        await refusal(of: named("2", in: world)) == "org.launchservices.Error.HandlerRefused")
      #expect(await refusal(of: named("3", in: world, isRepeated: true)) == Self.unknown)
      _ = try await world.client.open("photos:unnamed")
      #expect(arrivals(photos) == ["photos:1", "photos:unnamed"])
      withExtendedLifetime(other) {}
    }
  }

  @Test("long URLs fill neither the record nor the answer of History") func longURLs() async throws
  {
    try await Testbed.run { world in
      let photos = try await install(in: world)
      let url = "photos:" + String(repeating: "a", count: 100_000)
      _ = try await world.client.open(url)
      #expect(arrivals(photos) == [url])
      let history = try world.startProcess("lsopen", ["--history", "--json"])
      #expect(try await history.hasEnded() == "exited with code 0")
      #expect(history.lines.joined().utf8.count < 10_000)
      #expect(history.lines.joined().contains("aaa…"))
    }
  }
}
