import BusContract
import DBus
import Glibc
import LaunchServicesTesting
import Testing

/// Drives the real daemon with random opens and faults, and holds what everybody is told against what
/// everybody heard.
@MainActor final class RandomisedRun {
  /// One open, as its opener sees it.
  private struct Request {
    var url: String
    var application: Int
    var name: String?
    var cancellation: String?
    var isCancelled = false
    var opening: Opening
    var client: Int
  }

  /// What a run has done so far.
  struct Figures: CustomStringConvertible {
    var steps = 0
    var requests = 0
    var faults: [String: Int] = [:]
    var fates: [String: Int] = [:]

    var description: String {
      func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      }
      let injected = faults.values.reduce(0, +)
      return """
        \(steps) steps, \(injected) faults (\(list(faults))), \(requests) requests: \(list(fates))
        """
    }
  }

  private(set) var figures = Figures()
  private let world: Testbed
  private let handlers: [ScriptedHandler]
  private let clients: [TestClient]
  private let descriptors: Int
  private var random = SplitMix64(seed: 0)
  private var requests: [Request] = []
  private var heard: [[String]] = []
  private var fates: [String: String] = [:]
  private var numbers: [String: UInt64] = [:]
  private var repeated: Set<String> = []
  private var wasKilled = false
  private var seed: UInt64 = 0

  init(_ world: Testbed) async throws {
    self.world = world
    var handlers: [ScriptedHandler] = []
    for number in 0..<3 {
      handlers.append(
        try await world.install("com.example.app\(number)", schemes: ["app\(number)"]))
    }
    self.handlers = handlers
    var clients: [TestClient] = []
    for _ in 0..<4 { clients.append(try await world.newClient()) }
    self.clients = clients
    descriptors = try Self.descriptors(of: world.daemon.pid)
  }

  /// One seed: begins and ends with nothing running.
  func run(seed: UInt64, steps: Int) async throws {
    self.seed = seed
    random = SplitMix64(seed: seed)
    requests = []
    heard = handlers.map { _ in [] }
    fates = [:]
    numbers = [:]
    repeated = []
    wasKilled = false
    for handler in handlers { handler.script = script() }
    for _ in 0..<steps {
      figures.steps += 1
      try await step()
      listen()
      expectNothingTwice()
    }
    try await settle()
    check()
    try await endHandlers()
    try checkDaemon()
  }
}

// MARK: - Steps

extension RandomisedRun {
  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private func fault(_ kind: String) { figures.faults[kind, default: 0] += 1 }

  private func step() async throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<70: open()
    case 70..<80: try await settle()
    case 80..<86: handlers.randomElement(using: &random)!.script = script()
    case 86..<91: try await cancel()
    case 91..<97: try await killHandler()
    case 97..<99: try await stopHandler()
    default: try await killDaemon()
    }
  }

  private func open() {
    let application = Int.random(in: handlers.indices, using: &random)
    let client = Int.random(in: clients.indices, using: &random)
    let number = requests.count
    var options = OpenOptions()
    let url = "app\(application):\(seed)-\(number)"
    options.requestID = chance(60) ? "\(seed)-\(number)" : nil
    options.cancellationID = chance(20) ? "\(number)" : nil
    options.activate = chance(80)
    requests.append(
      Request(
        url: url, application: application, name: options.requestID,
        cancellation: options.cancellationID, opening: clients[client].opening(url, options),
        client: client))
    figures.requests += 1
  }

  /// A launch, and what is done about each delivery, often with a fault in it.
  private func script() -> HandlerScript {
    var script = HandlerScript.delegate()
    script.usesScenes = false
    script.comesBack = chance(70) ? .remembering : chance(50) ? .forgetting : nil
    if chance(25) {
      let launches: [(String, [HandlerScript.Step])] = [
        ("exit before check-in", [.exit(3)]), ("crash before check-in", [.crash]),
        ("exit after check-in", [.checkIn(), .exit(0)]),
        ("crash while launching", [.checkIn(), .crash]),
        ("made-up token", [.checkIn(.madeUp("guess")), .exit(1)]),
        ("second check-in", [.checkIn(), .checkIn(), .finishLaunching()]),
        ("bus lost while launching", [.checkIn(), .leaveBus]),
        ("veto", [.checkIn(), .finishLaunching(did: false)]),
      ]
      let (kind, steps) = launches.randomElement(using: &random)!
      fault(kind)
      script.launch = steps
    }
    script.deliveries = (0..<6).map { _ in
      guard chance(25) else { return [.answer(true)] }
      let deliveries: [(String, [HandlerScript.Step])] = [
        ("refusal", [.refuse("no")]), ("exit before the answer", [.exit(0)]),
        ("crash before the answer", [.crash]),
        ("exit after the answer", [.answer(true), .exit(0)]),
        ("crash after the answer", [.answer(false), .crash]), ("bus lost", [.leaveBus]),
        ("bus lost after the answer", [.answer(true), .leaveBus]),
        ("not handled", [.answer(false)]),
      ]
      // It costs two seconds each time, until it is ended the hard way.
      if chance(1) {
        fault("SIGTERM ignored")
        return [.ignoreTermination, .leaveBus]
      }
      let (kind, steps) = deliveries.randomElement(using: &random)!
      fault(kind)
      return steps
    }
    return script
  }

  private func cancel() async throws {
    let open = requests.indices.filter {
      requests[$0].cancellation != nil && !requests[$0].opening.isAnswered
        && fates[requests[$0].url] == nil
    }
    guard let index = open.randomElement(using: &random) else { return }
    fault("cancellation")
    let request = requests[index]
    do throws(Refusal) {
      _ = try await clients[request.client].call(Contract.cancelOpen(request.cancellation!))
      requests[index].isCancelled = true
    } catch {
      // Its fate was decided at that moment, or nobody is there to cancel it.
    }
  }

  private func running() async throws -> [Int32] {
    try await world.client.running().compactMap { $0["pid"]?.asUInt32.map(Int32.init) }
      .filter { $0 > 0 }
  }

  private func killHandler() async throws {
    guard let pid = try await running().randomElement(using: &random) else { return }
    fault("handler killed")
    kill(pid, SIGKILL)
  }

  /// It stops reading for a while.
  private func stopHandler() async throws {
    guard let pid = try await running().randomElement(using: &random) else { return }
    fault("handler stopped")
    kill(pid, SIGSTOP)
    open()
    _ = try await world.client.call(Contract.ping())
    kill(pid, SIGCONT)
  }

  private func killDaemon() async throws {
    fault("daemon killed")
    wasKilled = true
    try await world.killDaemon()
    try await world.startDaemon(options)
  }

  private var options: [String] { ["--launch-timeout", "20", "--delivery-timeout", "20"] }
}

// MARK: - What was heard and told

extension RandomisedRun {
  private func listen() {
    for (index, handler) in handlers.enumerated() {
      for case .opened(let urls) in handler.heard() {
        heard[index] += urls.map(\.url)
      }
    }
  }

  private func expectNothingTwice() {
    for urls in heard { #expect(Set(urls).count == urls.count, "seed \(seed): \(urls)") }
  }

  /// Waits for the fate of everything; what was cut off is asked for again when it has a name.
  private func settle() async throws {
    for index in requests.indices where fates[requests[index].url] == nil {
      let request = requests[index]
      var opening = request.opening
      while fates[request.url] == nil {
        do throws(Refusal) {
          let receipt = try await opening.receipt()
          fates[request.url] = receipt.outcome.delivery.rawValue
          numbers[request.url] = receipt.request
        } catch {
          let isCutOff =
            error.name == "org.freedesktop.DBus.Error.NoReply"
            || error.name == "org.freedesktop.DBus.Error.ServiceUnknown"
          if isCutOff, let name = request.name {
            repeated.insert(request.url)
            var options = OpenOptions()
            options.requestID = name
            opening = clients[request.client].opening(request.url, options)
          } else {
            fates[request.url] =
              error.name.split(separator: ".").last.map(String.init) ?? error.name
          }
        }
      }
      figures.fates[fates[request.url]!, default: 0] += 1
    }
    listen()
  }

  /// Everything that was told is true.
  private func check() {
    expectNothingTwice()
    for request in requests {
      let fate = fates[request.url] ?? "none"
      let count = heard[request.application].filter { $0 == request.url }.count
      let story: Comment = "seed \(seed), \(request.url): \(fate), heard \(count) times"
      switch fate {
      case "delivered", "HandlerRefused": #expect(count == 1, story)
      case "vetoed": #expect(count == 0, story)
      case "HandlerExited", "HandlerTimedOut": #expect(count <= 1, story)
      case "Cancelled": #expect(request.isCancelled && count <= 1, story)
      case "NoReply", "ServiceUnknown": #expect(wasKilled && request.name == nil, story)
      case "DeliveryUnknown": #expect(wasKilled && request.name != nil && count <= 1, story)
      default: Issue.record(story)
      }
    }
    // Numbers are given in the order of acceptance, and that is the order of arrival.
    for urls in heard {
      // One that was asked for again has its place by that.
      let order = urls.filter { !repeated.contains($0) }.compactMap { numbers[$0] }
      #expect(order == order.sorted(), "seed \(seed): \(zip(urls, order).map { "\($0)=\($1)" })")
    }
  }

  private func endHandlers() async throws {
    while true {
      let pids = try await running()
      if pids.isEmpty { return }
      for pid in pids { kill(pid, SIGKILL) }
    }
  }

  /// No process, descriptor or memory is left of the seed.
  private func checkDaemon() throws {
    let pid = world.daemon.pid
    #expect(Self.children(of: pid) == [], "seed \(seed)")
    #expect(try Self.descriptors(of: pid) <= descriptors + 2, "seed \(seed)")
    #expect(try Self.residentKilobytes(of: pid) < 96 * 1024, "seed \(seed)")
  }
}
