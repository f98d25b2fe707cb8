import Foundation
import LaunchServicesTesting
import Testing

/// Several URLs of one `lsopen`. Each once waited for the result of the one before, which takes 2 s for an application that
/// does not say what it does with a URL.
@MainActor @Suite("Several URLs of one lsopen", .timeLimit(.minutes(30)))
struct SeveralURLsTests {
  private static let photos = "com.example.photos"
  private static let notes = "com.example.notes"

  private func words(_ lines: [String], _ key: String) -> [String] {
    lines.compactMap(Testbed.json).compactMap { $0[key] as? String }
  }

  @Test("do not wait for each other's result; the results are printed in the order of the URLs")
  func ahead() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.wait, .answer(true)]))
      let notes = try await world.install(Self.notes, schemes: ["notes"])
      let lsopen = try world.startProcess(
        "lsopen", ["--json", "photos:1", "nobody:2", "notes:3"])
      try await photos.isWaiting()
      try await notes.next(.opened("notes:3"))
      #expect(lsopen.lines == [])
      try await photos.go()
      #expect(try await lsopen.hasEnded() == "exited with code 4")
      #expect(words(lsopen.lines, "url") == ["photos:1", "nobody:2", "notes:3"])
      #expect(words(lsopen.lines, "handler") == [Self.photos, Self.notes])
      #expect(lsopen.lines.contains { $0.hasPrefix("lsopen: nobody:2: no application") })
    }
  }

  @Test("arrive at one application in their order, however many they are") func order() async throws
  {
    try await Testbed.run { world in
      let photos = try await world.install(Self.photos, schemes: ["photos"])
      let urls = (1...60).map { "photos:\($0)" }
      let lsopen = try world.startProcess("lsopen", urls)
      #expect(try await lsopen.hasEnded() == "exited with code 0", "\(lsopen.lines)")
      var arrived: [String] = []
      for case .opened(let some) in photos.heard() { arrived += some.map(\.url) }
      #expect(arrived == urls)
    }
  }

  @Test("that wait at the end of --timeout are all cancelled, and none arrives later")
  func timedOut() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.wait, .answer(true)]))
      let lsopen = try world.startProcess(
        "lsopen", ["--timeout", "1", "photos:1", "photos:2", "photos:3"])
      try await photos.isWaiting()
      #expect(try await lsopen.hasEnded() == "exited with code 4")
      #expect(lsopen.lines.count == 3, "\(lsopen.lines)")
      try await photos.go()
      let last = world.client.opening("photos:4")
      try await photos.go()
      _ = try await last.receipt()
      var arrived: [String] = []
      for case .opened(let some) in photos.heard() { arrived += some.map(\.url) }
      #expect(arrived == ["photos:1", "photos:4"])
    }
  }

  @Test("are asked for again when the daemon ends, and each arrives once") func daemonEnds()
    async throws
  {
    try await Testbed.run { world in
      var script = HandlerScript.delegate(deliveries: [.wait, .answer(true)])
      script.comesBack = .remembering
      let photos = try await world.install(Self.photos, schemes: ["photos"], script)
      let lsopen = try world.startProcess("lsopen", ["photos:1", "photos:2", "photos:3"])
      try await photos.isWaiting()
      try await world.killDaemon()
      try await world.startDaemon()
      for _ in 1...3 { try await photos.go() }
      #expect(try await lsopen.hasEnded() == "exited with code 0", "\(lsopen.lines)")
      var arrived: [String] = []
      for case .opened(let some) in photos.heard() { arrived += some.map(\.url) }
      #expect(arrived == ["photos:1", "photos:2", "photos:3"])
    }
  }
}
