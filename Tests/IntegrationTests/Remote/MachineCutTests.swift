import Foundation
import LaunchServicesTesting
import SeededRandom
import Testing

/// Connections of `lsopen --on` that break, between two machines with a network of their own.
@MainActor
@Suite(
  "Cuts of lsopen --on",
  .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"), .timeLimit(.minutes(60)))
struct MachineCutTests {
  @Test(
    "ssh, the far daemon or the network is cut at random moments: nothing arrives twice, and what each opener is told is true"
  )
  func cuts() async throws {
    try await FarMachine.run(hasNetwork: true) { _, far in
      let added = try await far.run("lsregister", ["remote", "add", "far"])
      #expect(added.end == "exited with code 0")
      let run = MachineCutRun(far, try await FarDaemon.start(on: far))
      let lanes = (0..<2).map { _ in Task { try await run.open() } }
      while !run.isDone { try await run.cut() }
      for lane in lanes { try await lane.value }
      // An open of an opener that has given up may still be under way there.
      let last = try await far.run("lsopen", ["--on", "far", "photos:last"])
      #expect(last.end == "exited with code 0", "\(last.lines)")
      try await waitUntil("the last URL") { far.arrived.contains("photos:last") }
      run.check(far.arrived)
    }
  }

  @Test(
    "the network is gone when the answer comes, and nobody is told: ssh gives up, and the URL arrives once"
  )
  func networkIsGone() async throws {
    try await FarMachine.run(hasNetwork: true) { world, far in
      let added = try await far.run("lsregister", ["remote", "add", "far"])
      #expect(added.end == "exited with code 0")
      try await FarDaemon.start(on: far)
      // This ssh keeps the answer, the first time, until its connection has ended.
      let program = far.localPrograms + "/ssh"
      try """
      #!/usr/bin/python3
      import os, subprocess, sys
      command = ["/usr/bin/ssh", "-F", "\(far.folder)/ssh_config"] + sys.argv[1:]
      mark = "\(far.folder)/has-answer"
      if os.path.exists(mark):
          os.execv(command[0], command)
      ssh = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
      os.write(1, ssh.stdout.readline())
      ssh.stdout.read(1)
      open(mark, "w").close()
      sys.exit(ssh.wait())

      """.write(toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      let open = try far.start("lsopen", ["--json", "--on", "far", "photos:1"])
      try await waitUntil("the answer") {
        FileManager.default.fileExists(atPath: far.folder + "/has-answer")
      }
      try await far.cutNetwork()
      // The connection is tested every 15 s, and ends after two tests without an answer.
      try await waitUntil("the end of ssh", within: .seconds(120)) {
        world.daemon.lines.contains { $0.contains("was cut during an open") }
      }
      try await far.restoreNetwork()
      #expect(try await open.hasEnded() == "exited with code 0", "\(open.lines)")
      #expect(try await far.run("lsopen", ["--on", "far", "photos:2"]).end == "exited with code 0")
      try await waitUntil("the next URL there") { far.arrived.contains("photos:2") }
      #expect(far.arrived == ["photos:1", "photos:2"])
    }
  }
}

/// Opens on this machine, during which the connections to the far machine are cut.
@MainActor private final class MachineCutRun {
  private enum Cut: CaseIterable { case ssh, daemon, network }

  private let far: FarMachine
  private let daemon: FarDaemon
  private let seed = UInt64.random(in: 0...999_999)
  private var random: SplitMix64
  private var told: [ToldOpen] = []
  private var next = 0
  private var cuts: [Cut] = []

  /// The number of cuts: that of the environment variable `LAUNCH_SERVICES_CUTS`, or a few.
  private static let mostCuts =
    ProcessInfo.processInfo.environment["LAUNCH_SERVICES_CUTS"].flatMap(Int.init) ?? 6

  init(_ far: FarMachine, _ daemon: FarDaemon) {
    self.far = far
    self.daemon = daemon
    random = SplitMix64(seed: seed)
  }

  var isDone: Bool { cuts.count >= Self.mostCuts }

  /// Opens one URL after the other.
  func open() async throws {
    while !isDone {
      let url = "photos:\(next)"
      // A third of the openers is in a hurry.
      let isInHurry = next.isMultiple(of: 3)
      next += 1
      let limit = isInHurry ? ["--timeout", "0.\(Int.random(in: 10...90, using: &random))"] : []
      let open = try far.start("lsopen", ["--json"] + limit + ["--on", "far", url])
      let end = try await open.hasEnded()
      told.append(ToldOpen(url: url, end: end, lines: open.lines))
    }
  }

  /// Cuts while ssh runs for one of the next opens.
  func cut() async throws {
    let goal = told.count + Int.random(in: 0...2, using: &random)
    try await waitUntil("some opens", within: .seconds(300)) { told.count >= goal }
    try await waitUntil("a connection", within: .seconds(300)) { !far.clients.isEmpty }
    // Each look at the processes takes some milliseconds, in which the open goes on.
    for _ in 0..<Int.random(in: 0...60, using: &random) where !far.clients.isEmpty {
      await Task.yield()
    }
    let cut = Cut.allCases.randomElement(using: &random) ?? .ssh
    cuts.append(cut)
    switch cut {
    case .ssh: endConnections()
    case .daemon:
      try await daemon.kill()
      try await daemon.start()
    case .network:
      try await far.cutNetwork()
      endConnections()
      try await far.restoreNetwork()
    }
  }

  private func endConnections() { for pid in far.clients { kill(pid, SIGKILL) } }

  func check(_ arrived: [String]) {
    #expect(Set(arrived).count == arrived.count, "seed \(seed): a URL arrived twice")
    var counts: [String: Int] = [:]
    for one in told {
      let fate = one.fate(
        hasArrived: arrived.contains(one.url), seed, delivery: "handed-over")
      counts[fate, default: 0] += 1
    }
    print("cuts of lsopen --on, seed \(seed): \(cuts.count) cuts, \(counts)")
    #expect((counts["delivered"] ?? 0) > 0, "seed \(seed): \(counts)")
  }
}
