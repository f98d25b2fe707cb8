import BusContract
import DBus
import Glibc
import LaunchServicesTesting
import Testing

/// Carries out plans of opens and faults with the real daemon, and after each step holds what everybody
/// was told against what everybody heard, and what is there against what may be there.
@MainActor final class RandomisedRun {
  /// One open, as its opener sees it.
  private struct Asked {
    let open: FaultPlan.Open
    let url: String
    /// Those that are not answered yet.
    var openings: [Opening] = []
    /// The opener has left: somebody else asks when all is settled.
    var isAbandoned = false
    var name: String? { open.isNamed ? url : nil }
    var cancellation: String? { open.isCancellable ? url : nil }
  }

  /// What a promise or a bound was broken by.
  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var figures = RunFigures()
  private let world: Testbed
  private let handlers: [ScriptedHandler]
  private let clients: [TestClient]
  private let idle: Footprint
  private var promises = Promises()
  private var asked: [Asked] = []
  /// What is wrong since the last step.
  private var wrong: [String] = []
  /// How many processes each application had started before this plan.
  private var started: [Int] = []
  /// Of each application, in this plan.
  private var mayFork: [Bool] = []
  private var givenUp: [Int] = []
  private var prefix = ""

  init(_ world: Testbed) async throws {
    self.world = world
    var handlers: [ScriptedHandler] = []
    for number in 0..<FaultPlan.applications {
      handlers.append(
        try await world.install("com.example.app\(number)", schemes: ["app\(number)"]))
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
  private func replayable(
    _ plan: FaultPlan, _ step: Int, _ what: String, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
      if wrong.isEmpty { return }
    } catch {
      wrong.append("\(error)")
    }
    throw Broken(
      description: """
        seed \(plan.seed), step \(step) (\(what)): \(wrong.joined(separator: "; "))
        replay: LAUNCH_SERVICES_SEED=\(plan.seed) LAUNCH_SERVICES_STEPS=\(step) \
        Tests/run --filter RandomisedRunTests
        """)
  }
}

// MARK: - Steps

extension RandomisedRun {
  private func observe(_ event: Promises.Event) { wrong += promises.observe(event) }

  private func perform(_ step: FaultPlan.Step) async throws {
    switch step {
    case .open(let open): self.open(open)
    case .flood(let opens):
      figures.fault("flood")
      for open in opens { self.open(open) }
    case .abandon(let open): try abandon(open)
    case .askAgain(let number): askAgain(number)
    case .cancel(let number): try await cancel(number)
    case .settle: try await settle()
    case .live(let life, let application):
      for fault in life.faults { figures.fault(fault) }
      observe(.mayBeTold(life.fates, application: application))
      if life.launch == .forkAndLeave { mayFork[application] = true }
      handlers[application].script = life.script
    case .killHandler(let application): try await killHandler(application)
    case .stopReading(let open): try await stopReading(open)
    case .stealToken(let application): try await stealToken(application)
    case .killDaemon: try await killDaemon()
    }
  }

  private func open(_ open: FaultPlan.Open) {
    let index = ask(open)
    let client = clients[open.client]
    asked[index].openings.append(client.opening(asked[index].url, options(asked[index])))
  }

  /// - Returns: its place in `asked`.
  private func ask(_ open: FaultPlan.Open) -> Int {
    let url = "app\(open.application):\(prefix)\(open.number)"
    observe(
      .asked(
        url: url, application: open.application, client: open.client, isNamed: open.isNamed))
    asked.append(Asked(open: open, url: url))
    figures.requests += 1
    return asked.count - 1
  }

  private func options(_ asked: Asked) -> OpenOptions {
    var options = OpenOptions()
    options.requestID = asked.name
    options.cancellationID = asked.cancellation
    options.activate = asked.open.activates
    return options
  }

  private func abandon(_ open: FaultPlan.Open) throws {
    figures.fault("opener gone")
    let index = ask(open)
    let client = try TestClient(address: world.environment["DBUS_SESSION_BUS_ADDRESS"])
    _ = client.opening(asked[index].url, options(asked[index]))
    client.session.connection.flush()
    asked[index].isAbandoned = true
  }

  private func askAgain(_ number: Int) {
    guard let index = index(of: number), asked[index].name != nil else { return }
    askAgain(at: index)
  }

  private func askAgain(at index: Int) {
    observe(.askedAgain(url: asked[index].url))
    let client = clients[asked[index].open.client]
    asked[index].openings.append(client.opening(asked[index].url, options(asked[index])))
  }

  private func index(of number: Int) -> Int? { asked.firstIndex { $0.open.number == number } }

  private func cancel(_ number: Int) async throws {
    guard let index = index(of: number), let cancellation = asked[index].cancellation else {
      return
    }
    let client = clients[asked[index].open.client]
    guard (try? await client.call(Contract.cancelOpen(cancellation))) != nil else { return }
    figures.fault("cancellation")
    observe(.cancelled(url: asked[index].url))
  }

  /// The processes of an application that this plan has started and that are there, oldest first.
  private func processes(of application: Int) -> [Int32] {
    let handler = handlers[application]
    return handler.pids.dropFirst(started[application]).filter {
      ProcessTraces.runs($0, from: handler.path)
    }
  }

  private func killHandler(_ application: Int) async throws {
    guard let pid = processes(of: application).last else { return }
    figures.fault("handler killed")
    observe(.mayBeTold([.exited], application: application))
    kill(pid, SIGKILL)
  }

  private func stopReading(_ open: FaultPlan.Open) async throws {
    let pid = processes(of: open.application).last
    if let pid {
      figures.fault("handler stops reading")
      kill(pid, SIGSTOP)
    }
    self.open(open)
    _ = try await world.client.call(Contract.ping())
    if let pid { kill(pid, SIGCONT) }
  }

  private func stealToken(_ application: Int) async throws {
    guard let pid = processes(of: application).last,
      let token = ProcessTraces.variable("LAUNCH_SERVICES_TOKEN", of: pid)
    else { return }
    figures.fault("stolen token")
    var options = CheckInOptions()
    options.token = token
    guard (try? await clients[0].call(Contract.checkIn(options))) != nil else { return }
    wrong.append("a check-in with the token of process \(pid) was believed")
  }

  private func killDaemon() async throws {
    figures.fault("daemon killed")
    observe(.daemonKilled)
    try await world.killDaemon()
    countGivenUp()
    try await world.startDaemon(RandomisedRunTests.options)
  }
}

// MARK: - What was heard and told

extension RandomisedRun {
  /// Takes what there is. A handler goes on when the test has heard it, so that what led to an answer
  /// has been heard by then.
  private func collect() async throws {
    var told: [(Int, Result<LaunchServicesTesting.Receipt, Refusal>)] = []
    for index in asked.indices where !asked[index].openings.isEmpty {
      for opening in asked[index].openings where opening.isAnswered {
        asked[index].openings.removeAll { $0 === opening }
        told.append((index, await answer(of: opening)))
      }
    }
    listen()
    for (index, answer) in told { tell(index, answer) }
  }

  private func answer(
    of opening: Opening
  ) async -> Result<LaunchServicesTesting.Receipt, Refusal> {
    do throws(Refusal) {
      return .success(try await opening.receipt())
    } catch {
      return .failure(error)
    }
  }

  private func listen() {
    for (application, handler) in handlers.enumerated() {
      for case .opened(let urls) in handler.heard() {
        // What a process of the last plan said at its end may come late.
        for url in urls where url.url.contains(":" + prefix) {
          observe(.arrived(url: url.url, application: application))
        }
      }
    }
  }

  private func tell(_ index: Int, _ answer: Result<LaunchServicesTesting.Receipt, Refusal>) {
    let fate = Fate(answer)
    if fate == .cutOff, asked[index].name != nil { return askAgain(at: index) }
    figures.fates["\(fate)", default: 0] += 1
    observe(.told(url: asked[index].url, fate, number: (try? answer.get())?.request))
  }

  /// Waits until every open has its fate.
  private func settle() async throws {
    for handler in handlers { handler.isHeld = false }
    defer { for handler in handlers { handler.isHeld = true } }
    for index in asked.indices {
      if asked[index].isAbandoned {
        asked[index].isAbandoned = false
        askAgain(at: index)
      }
      while let opening = asked[index].openings.first {
        let answer = await answer(of: opening)
        asked[index].openings.removeFirst()
        listen()
        tell(index, answer)
      }
    }
    wrong += promises.withoutFate.map { "\($0) has no fate" }
  }
}

// MARK: - What is there

extension RandomisedRun {
  private func footprint() throws -> Footprint {
    try Footprint(
      of: world.daemon.pid, processes: handlers.indices.map { processes(of: $0).count })
  }

  /// What is too much must be so still when the daemon has answered a call.
  private func checkFootprint() async throws {
    var footprint = try self.footprint()
    if !footprint.excesses(over: idle, strays: strays).isEmpty {
      _ = try await world.client.call(Contract.ping())
      footprint = try self.footprint()
    }
    figures.note(footprint)
    wrong += footprint.excesses(over: idle, strays: strays)
  }

  private var strays: [Int] {
    handlers.indices.map { application in
      givenUp[application] + givenUpNow(application)
        + (mayFork[application] ? handlers[application].pids.count - started[application] : 0)
    }
  }

  /// By the daemon that runs now.
  private func givenUpNow(_ application: Int) -> Int {
    world.daemon.lines.filter {
      $0.contains("did not check in again")
        && $0.contains("application=\(handlers[application].identifier) ")
    }.count
  }

  private func countGivenUp() {
    for application in handlers.indices { givenUp[application] += givenUpNow(application) }
  }

  /// Also those that nobody has heard of yet, which others have started.
  private func endHandlers() async throws {
    while true {
      let pids = handlers.flatMap { ProcessTraces.all(from: $0.path) }
      for pid in pids { kill(pid, SIGKILL) }
      let running = try await world.client.running()
      if pids.isEmpty, running.isEmpty { return }
    }
  }

  /// Nothing is left of a plan.
  private func checkLeftovers() async throws {
    let left = try footprint()
    if left.descriptors > idle.descriptors + 2 {
      wrong.append("the idle daemon has \(left.descriptors) descriptors, not \(idle.descriptors)")
    }
    if left.children > 0 { wrong.append("the idle daemon has \(left.children) children") }
  }
}

extension Fate {
  /// What an opener was told.
  fileprivate init(_ answer: Result<LaunchServicesTesting.Receipt, Refusal>) {
    switch answer {
    case .success(let receipt):
      switch receipt.outcome.delivery {
      case .delivered: self = .delivered
      case .vetoed: self = .vetoed
      case .unacknowledged: self = .other("unacknowledged")
      }
    case .failure(let refusal):
      switch refusal.name {
      case "org.launchservices.Error.HandlerRefused": self = .refused
      case "org.launchservices.Error.HandlerExited": self = .exited
      case "org.launchservices.Error.Cancelled": self = .cancelled
      case "org.launchservices.Error.DeliveryUnknown": self = .unknown
      case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown":
        self = .cutOff
      default: self = .other("\(refusal)")
      }
    }
  }
}
