import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// What may be wrong around the daemon. Clocks are in `ClockTests`, watches that run out in `UnwatchedFolderTests`, full
/// disks in `FullDiskTests`, descriptors that run out in `DescriptorShortageTests`, and a bus that closes the connection of
/// the daemon in `DescriptorFloodTests`.
@MainActor @Suite("Attack: the surroundings", .timeLimit(.minutes(30)))
struct AttackSurroundingsTests {
  @Test("Fifty callers at once: each gets its answer, and each URL arrives once")
  func fiftyCallers() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let openers = try (0..<50).map { try world.startProcess("lsopen", ["photos:\($0)"]) }
      let askers = try (0..<50).map { _ in
        try world.startProcess("lsregister", ["handlers", "photos"])
      }
      for process in openers + askers {
        #expect(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
      }
      #expect(askers.allSatisfy { $0.lines.contains { $0.contains("com.example.photos") } })
      #expect(photos.opened.sorted() == (0..<50).map { "photos:\($0)" }.sorted())
      #expect(photos.pids.count == 1)
    }
  }

  @Test("Callers that are killed in the middle of a call: what was accepted arrives once")
  func killedCallers() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .launching(.wait, .checkIn(), .finishLaunching())
      )
      let first = world.client.opening("photos:first")
      try await photos.isWaiting()
      let before = try world.daemonDescriptors()
      let openers = try (0..<20).map { try world.startProcess("lsopen", ["photos:\($0)"]) }
      try await waitUntil("twenty more requests") {
        let answer = try await world.client.call(Contract.history(HistoryOptions()))
        return answer.first?.asOptionsList?.count(where: { $0[Key.url] != .string("photos:first") })
          == 20
      }
      for opener in openers { opener.signal(SIGKILL) }
      for opener in openers { _ = try await opener.hasEnded() }
      try await photos.go()
      #expect(try await first.receipt().outcome == .deliveredCold)
      var arrived: [String] = []
      while arrived.count < 21 {
        if case .opened(let urls) = try await photos.next() { arrived += urls.map(\.url) }
      }
      #expect(Set(arrived) == Set((0..<20).map { "photos:\($0)" } + ["photos:first"]))
      #expect(try await world.client.open("photos:last").outcome == .deliveredWarm)
      try await world.daemonDescriptors(comeBackTo: before)
    }
  }

  @Test(
    "The folder of the state cannot be written: the daemon says so, and opens go on",
    .enabled(if: mayMount(), "needs the right to mount a disk"))
  func readOnly() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let state = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      try #require(unsafe mount("tmpfs", state, "tmpfs", UInt(MS_RDONLY), "size=64k") == 0)
      defer { unsafe umount2(state, Int32(MNT_DETACH)) }
      try await world.startDaemon()
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      for number in 0..<20 {
        let receipt = try await world.client.open("photos:\(number)", requestID: "\(number)")
        #expect(receipt.outcome.delivery == .delivered)
      }
      #expect(photos.opened == (0..<20).map { "photos:\($0)" })
      let complaints = world.daemon.lines.filter { $0.contains("requests cannot be recorded") }
      #expect(complaints.count == 1, "\(world.daemon.lines)")
      let allow = ["approvals", "allow", "photos", "com.example.photos", "--opener", "@web"]
      let refused = try world.startProcess("lsregister", allow)
      #expect(try await refused.hasEnded() != "exited with code 0")
    }
  }
}

extension ScriptedHandler {
  /// The URLs it was given, in their order.
  @MainActor fileprivate var opened: [String] {
    heard().flatMap { event -> [String] in
      if case .opened(let urls) = event { urls.map(\.url) } else { [] }
    }
  }
}
