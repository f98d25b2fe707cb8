import DBus
import LaunchServicesTesting

/// Carries out plans of opens and faults with the real daemon, and after each step holds what everybody
/// was told against what everybody heard, and what is there against what may be there.
@MainActor final class RandomisedRun {
  /// One open, as its opener sees it.
  struct RequestedOpen {
    let open: FaultPlan.Open
    let url: String
    /// Those that are not answered yet.
    var openings: [Opening] = []
    /// The opener has left: somebody else asks when all is settled.
    var isAbandoned = false
    /// It asks, and ends when it was answered.
    var opener: ObservedProcess?
    var name: String? { open.hasRequestID ? url : nil }
    var cancellation: String? { open.isCancellable ? url : nil }
  }

  /// What a promise or a bound was broken by.
  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  var figures = RunFigures()
  let world: Testbed
  let handlers: [ScriptedHandler]
  let clients: [TestClient]
  let idle: Footprint
  var promises = Promises()
  var asked: [RequestedOpen] = []
  /// What is wrong since the last step.
  var wrong: [String] = []
  /// How many processes each application had started before this plan.
  var started: [Int] = []
  /// Of each application, in this plan.
  var mayFork: [Bool] = []
  var givenUp: [Int] = []
  /// Connections that do not read.
  var unread: [Connection] = []
  /// How many lines of the daemon that runs now have been looked at.
  var linesRead = 0
  var prefix = ""

  init(_ world: Testbed) async throws {
    self.world = world
    var handlers: [ScriptedHandler] = []
    for number in 0..<FaultPlan.applications {
      handlers.append(
        try await world.install("com.example.app\(number)", schemes: ["app\(number)"]))
      // An opener whose parents have ended counts as a web page while a browser of another test runs beside it.
      let allow = ["approvals", "allow", "app\(number)", "com.example.app\(number)"]
      _ = try await world.startProcess("lsregister", allow).hasEnded()
    }
    self.handlers = handlers
    var clients: [TestClient] = []
    for _ in 0..<FaultPlan.clients { clients.append(try await world.newClient()) }
    self.clients = clients
    idle = try Footprint(of: world.daemon.pid, processes: [])
  }

  /// Carries out a plan, or its first steps; begins and ends with nothing running.
  func run(_ plan: FaultPlan, steps limit: Int = .max) async throws {
    prefix = "\(plan.seed)-"
    promises = Promises()
    asked = []
    wrong = []
    started = handlers.map(\.pids.count)
    mayFork = handlers.map { _ in false }
    givenUp = handlers.map { _ in 0 }
    for (index, step) in plan.steps.prefix(limit).enumerated() {
      try await replayable(plan, index + 1, "\(step)") {
        figures.steps += 1
        try await perform(step)
        try await collect()
        try await checkFootprint()
      }
    }
    try await replayable(plan, min(limit, plan.steps.count), "the end") {
      try await settle()
      try await endHandlers()
      try await checkLeftovers()
    }
  }

  /// Says what goes wrong, where, and how to see it again.
  func replayable(
    _ plan: FaultPlan, _ step: Int, _ what: String, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
      if wrong.isEmpty { return }
    } catch {
      wrong.append("\(error)")
    }
    await printWhatIsThere()
    throw Broken(
      description: """
        seed \(plan.seed), step \(step) (\(what)): \(wrong.joined(separator: "; "))
        replay: LAUNCH_SERVICES_SEED=\(plan.seed) LAUNCH_SERVICES_STEPS=\(step) \
        Tests/run --filter RandomisedRunTests
        """)
  }

  /// What is known about a failure that may not come again.
  private func printWhatIsThere() async {
    for application in (try? await world.client.running()) ?? [] {
      print("running: \(application)")
    }
    for handler in handlers {
      let processes = ProcessTraces.all(from: handler.path)
      print("processes of \(handler.identifier): \(processes), all that started: \(handler.pids)")
    }
    for line in world.daemon.lines.suffix(100) { print("daemon: \(line)") }
  }
}
