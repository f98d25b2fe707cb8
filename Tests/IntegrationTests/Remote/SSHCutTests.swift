import Foundation
import LaunchServicesTesting
import SeededRandom
import Testing

/// Connections of ssh that break, between two machines with a network of their own.
@MainActor
@Suite(
  "Cuts of ssh", .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"),
  .timeLimit(.minutes(30)))
struct SSHCutTests {
  @Test(
    "ssh, the daemon or the network is cut at random moments: nothing arrives twice, and what each opener is told is true"
  )
  func cuts() async throws {
    let seed = UInt64.random(in: 0...999_999)
    try await Testbed.run(startsDaemon: false) { world in
      let far = try await FarMachine.start(in: world, hasNetwork: true)
      try world.writeSettings("<key>MaximumRemoteOpens</key><integer>1000000</integer>")
      try await world.startDaemon(environment: ["PATH": far.path])
      var script = HandlerScript.delegate()
      script.comesBack = .remembering
      let photos = try await world.install("com.example.photos", schemes: ["photos"], script)
      _ = try await world.client.open("photos:first")
      _ = photos.heard()
      _ = try await world.addRemote("far", allowing: ["photos"])
      let run = SSHCutRun(world, far, seed)
      try await run.connect()
      let lanes = (0..<2).map { _ in Task { try await run.open() } }
      while !run.isDone { try await run.cut() }
      for lane in lanes { try await lane.value }
      var arrived: [String] = []
      for case .opened(let urls) in photos.heard() { arrived += urls.map(\.url) }
      run.check(arrived)
    }
  }
}

/// Opens on the far machine, during sessions of `lsopen ssh` that are cut.
@MainActor private final class SSHCutRun {
  private enum Cut: CaseIterable { case ssh, daemon, network }

  private let world: Testbed
  private let far: FarMachine
  private let seed: UInt64
  private var random: SplitMix64
  private var session: ObservedProcess?
  private var told: [ToldOpen] = []
  private var next = 0
  private var cuts: [Cut] = []
  private let mostCuts: Int

  /// The number of cuts that the environment variable `LAUNCH_SERVICES_CUTS` chooses.
  private static let cuts = ProcessInfo.processInfo.environment["LAUNCH_SERVICES_CUTS"].flatMap(
    Int.init)

  init(_ world: Testbed, _ far: FarMachine, _ seed: UInt64) {
    self.world = world
    self.far = far
    self.seed = seed
    random = SplitMix64(seed: seed)
    mostCuts = Self.cuts ?? 15
  }

  var isDone: Bool { cuts.count >= mostCuts }

  func connect() async throws {
    let session = try far.start("lsopen", ["ssh", "far", "echo begun; exec sleep 10000"])
    try await session.line(containing: "begun")
    self.session = session
  }

  /// Opens one URL after the other, by processes of the far user that no session ends.
  func open() async throws {
    while !isDone {
      try await waitUntil("a session", within: .seconds(300)) { session != nil || isDone }
      let url = "photos:\(next)"
      // A third of the openers is in a hurry.
      let isInHurry = next.isMultiple(of: 3)
      next += 1
      let limit = isInHurry ? ["--timeout", "0.\(Int.random(in: 10...60, using: &random))"] : []
      let open = try far.startThere(["lsopen", "--json"] + limit + [url])
      let end = try await open.hasEnded()
      told.append(ToldOpen(url: url, end: end, lines: open.lines))
    }
  }

  /// Cuts during one of the next opens, and connects again.
  func cut() async throws {
    let goal = told.count + Int.random(in: 0...6, using: &random)
    try await waitUntil("some opens", within: .seconds(300)) { told.count >= goal }
    let cut = Cut.allCases.randomElement(using: &random) ?? .ssh
    cuts.append(cut)
    switch cut {
    case .ssh: try await endSession()
    case .daemon:
      try await world.killDaemon()
      return try await world.startDaemon(environment: ["PATH": far.path])
    case .network:
      try await far.cutNetwork()
      try await endSession()
      try await far.restoreNetwork()
    }
    try await connect()
  }

  private func endSession() async throws {
    let old = session
    session = nil
    for pid in far.clients { kill(pid, SIGKILL) }
    _ = try await old?.hasEnded()
  }

  func check(_ arrived: [String]) {
    #expect(Set(arrived).count == arrived.count, "seed \(seed): a URL arrived twice")
    var counts: [String: Int] = [:]
    for one in told {
      counts[one.fate(hasArrived: arrived.contains(one.url), seed), default: 0] += 1
    }
    print("cuts of ssh, seed \(seed): \(cuts.count) cuts, \(counts)")
    #expect((counts["delivered"] ?? 0) > 5, "seed \(seed): \(counts)")
  }
}
