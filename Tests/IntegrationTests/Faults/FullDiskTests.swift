import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// A disk of 64 KiB.
@MainActor @Suite("The disk of the state is", .timeLimit(.minutes(30)))
struct FullDiskTests {
  @Test(
    "full: the daemon says so once, and opens go on",
    .enabled(if: mayMount(), "needs the right to mount a small disk"))
  func full() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let state = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      try #require(
        unsafe mount("tmpfs", state, "tmpfs", 0, "size=64k") == 0, "a small disk can be mounted")
      defer { unsafe umount2(state, Int32(MNT_DETACH)) }
      try Data(count: 60_000).write(to: URL(filePath: state + "/rest"))
      try await world.startDaemon()
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      for number in 0..<20 {
        let receipt = try await world.client.open("photos:\(number)", requestID: "\(number)")
        #expect(receipt.outcome.delivery == .delivered)
      }
      let opened = photos.heard().filter { if case .opened = $0 { true } else { false } }
      #expect(opened == (0..<20).map { .opened("photos:\($0)") })
      let complaints = world.daemon.lines.filter { $0.contains("record") }
      #expect(complaints.count == 1, "\(world.daemon.lines)")
      #expect(complaints.first?.contains("are lost") == true)
    }
  }

  @Test("closed to it: the daemon says so once, and opens go on") func closed() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let state = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      // Where the record should be there is a folder.
      try FileManager.default.createDirectory(
        atPath: state + "/requests.sqlite", withIntermediateDirectories: true)
      try await world.startDaemon()
      try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:1", requestID: "1").outcome == .deliveredCold)
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
      #expect(world.daemon.lines.filter { $0.contains("record") }.count == 1)
    }
  }
}

/// Tries it: also root may not, in many containers.
func mayMount() -> Bool {
  let folder = FileManager.default.temporaryDirectory.path + "/lsmount-" + UUID().uuidString
  guard unsafe mkdir(folder, 0o700) == 0 else { return false }
  defer { unsafe rmdir(folder) }
  guard unsafe mount("tmpfs", folder, "tmpfs", 0, "size=64k") == 0 else { return false }
  return unsafe umount2(folder, Int32(MNT_DETACH)) == 0
}
