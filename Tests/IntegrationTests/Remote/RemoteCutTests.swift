import BusContract
import Foundation
import LaunchServicesTesting
import SeededRandom
import Testing

/// Connections that break, between real processes: lsopen, a proxy that cuts, and the daemon, which is killed now and then.
@MainActor @Suite("Cuts of remote connections", .timeLimit(.minutes(30)))
struct RemoteCutTests {
  @Test("200 cuts at random moments: nothing arrives twice, and what each opener is told is true")
  func cuts() async throws {
    let seed = UInt64.random(in: 0...999_999)
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>MaximumRemoteOpens</key><integer>1000000</integer>")
      try await world.startDaemon()
      var script = HandlerScript.delegate()
      script.comesBack = .remembering
      let photos = try await world.install("com.example.photos", schemes: ["photos"], script)
      _ = try await world.client.open("photos:first")
      _ = photos.heard()
      let run = try await CutRun(world, seed)
      let lanes = (0..<4).map { _ in Task { try await run.open() } }
      while try await run.isGoing() {
        run.kills += 1
        try await world.killDaemon()
        try await world.startDaemon()
      }
      for lane in lanes { try await lane.value }
      var arrived: [String] = []
      for case .opened(let urls) in photos.heard() { arrived += urls.map(\.url) }
      run.check(arrived)
    }
  }
}

/// Opens through a proxy that cuts connections, until it has cut enough of them.
@MainActor private final class CutRun {
  private let world: Testbed
  private let seed: UInt64
  private let proxy: ObservedProcess
  private let socket: String
  private var random: SplitMix64
  private var told: [ToldOpen] = []
  private var next = 0
  var kills = 0

  private static let leastCuts = 200
  private static let mostOpens = 800
  private static let killEvery = 40

  init(_ world: Testbed, _ seed: UInt64) async throws {
    self.world = world
    self.seed = seed
    random = SplitMix64(seed: seed)
    socket = world.folder + "/bad"
    let good = try await world.addRemote("laptop", allowing: ["photos"])
    proxy = try world.startProcess(
      "/usr/bin/python3", [Fixture.path("cutting-proxy.py"), socket, good, "\(seed)"])
    try await proxy.line(containing: "ready")
  }

  private var cuts: Int { proxy.lines.count { $0.hasPrefix("cut ") } }
  private var isDone: Bool { cuts >= Self.leastCuts || next >= Self.mostOpens }

  /// Opens one URL after the other.
  func open() async throws {
    while !isDone {
      let url = "photos:\(next)"
      // A third of the openers is in a hurry.
      let isInHurry = next.isMultiple(of: 3)
      next += 1
      let limit = isInHurry ? ["--timeout", "0.\(Int.random(in: 10...60, using: &random))"] : []
      let open = try world.startProcess(
        "lsopen", ["--json"] + limit + [url], environment: Testbed.elsewhere(socket))
      let end = try await open.hasEnded()
      told.append(ToldOpen(url: url, end: end, lines: open.lines))
    }
  }

  /// Waits for some opens.
  /// - Returns: false when enough connections were cut.
  func isGoing() async throws -> Bool {
    let goal = told.count + Self.killEvery
    try await waitUntil("some opens", within: .seconds(300)) { told.count >= goal || isDone }
    return !isDone
  }

  func check(_ arrived: [String]) {
    #expect(cuts >= Self.leastCuts, "seed \(seed)")
    #expect(kills > 0, "seed \(seed)")
    #expect(Set(arrived).count == arrived.count, "seed \(seed): a URL arrived twice")
    var counts: [String: Int] = [:]
    for one in told {
      let fate = one.fate(hasArrived: arrived.contains(one.url), seed)
      counts[fate, default: 0] += 1
    }
    print("cuts of remote connections, seed \(seed): \(cuts) cuts, \(kills) kills, \(counts)")
    #expect((counts["delivered"] ?? 0) > 20, "seed \(seed): \(counts)")
  }
}
