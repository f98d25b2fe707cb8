import LaunchServicesTesting
import SeededRandom

/// What a randomised run does, decided by its seed before anything runs: the same seed gives the same plan.
struct FaultPlan: Hashable {
  static let applications = 3
  static let clients = 4

  let seed: UInt64
  let steps: [Step]

  struct Open: Hashable {
    /// From 0, in the order of the plan. It is in the URL.
    var number: Int
    var application: Int
    var client: Int
    /// It carries a `request-id`.
    var hasRequestID: Bool
    /// It carries a `cancellation-id`.
    var isCancellable: Bool
    /// Whether it is to bring the application to the front.
    var activates: Bool
  }

  enum Step: Hashable {
    case open(Open)
    /// Many opens of one caller at once, for one application.
    case flood([Open])
    /// The opener leaves the bus at once; another asks for the fate.
    case abandon(Open)
    /// A process opens it whose parent ends meanwhile; another asks for the fate.
    case orphan(Open)
    /// Somebody sends many questions on a direct connection, and reads no answer until all is settled.
    case stopReadingAnswers
    /// Asks once more under the same name.
    case askAgain(Int)
    case cancel(Int)
    /// Everything that waits goes on, and every open has its fate.
    case settle
    /// What processes of the application do that start from now on.
    case live(HandlerLife, application: Int)
    case killHandler(Int)
    /// The process of the application stops reading while this open is sent.
    case stopReading(Open)
    /// Somebody checks in with the token of the application's process.
    case stealToken(Int)
    case killDaemon
    /// The daemon is killed, and a page of its record of requests is overwritten before the next one starts.
    /// - Parameter page: its number, in a file that has as many.
    case damageRecord(page: Int)
  }

  init(seed: UInt64, length: Int) {
    self.seed = seed
    var maker = Maker(seed: seed)
    steps =
      (0..<Self.applications).map { .live(maker.life(), application: $0) }
      + (0..<length).map { _ in maker.step() } + [.settle]
  }
}

// MARK: - Drawing

extension FaultPlan {
  private struct Maker {
    private var random: SplitMix64
    private var opens: [Open] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool {
      Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func application() -> Int {
      Int.random(in: 0..<FaultPlan.applications, using: &random)
    }

    private mutating func open(_ application: Int? = nil, client: Int? = nil) -> Open {
      let open = Open(
        number: opens.count, application: application ?? self.application(),
        client: client ?? Int.random(in: 0..<FaultPlan.clients, using: &random),
        hasRequestID: chance(60), isCancellable: chance(20), activates: chance(80))
      opens.append(open)
      return open
    }

    /// One that only asking again can tell the fate of.
    private mutating func named() -> Open {
      var open = open()
      open.hasRequestID = true
      opens[open.number] = open
      return open
    }

    /// One of the last opens for which this holds.
    private mutating func recent(_ condition: (Open) -> Bool) -> Int? {
      opens.suffix(8).filter(condition).randomElement(using: &random)?.number
    }

    mutating func step() -> Step {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<55: return .open(open())
      case 55..<57: return .orphan(named())
      case 57..<59: return .stopReadingAnswers
      case 59..<60: return .damageRecord(page: Int.random(in: 0..<1000, using: &random))
      case 60..<70: return .settle
      case 70..<76: return .live(life(), application: application())
      case 76..<81: return recent(\.isCancellable).map(Step.cancel) ?? .open(open())
      case 81..<84: return recent(\.hasRequestID).map(Step.askAgain) ?? .open(open())
      case 84..<90: return .killHandler(application())
      case 90..<92: return .stopReading(open())
      case 92..<94: return .stealToken(application())
      case 94..<96:
        return .abandon(named())
      case 96..<98:
        let (application, client) = (application(), opens.count % FaultPlan.clients)
        return .flood((0..<50).map { _ in open(application, client: client) })
      default: return .killDaemon
      }
    }

    mutating func life() -> HandlerLife {
      let launch: HandlerLife.Launch =
        chance(30) ? .faults.randomElement(using: &random)! : .inOrder
      let deliveries = (0..<6).map { _ -> HandlerLife.Delivery in
        guard chance(25) else { return .handled }
        // It costs two seconds until it is ended the hard way, so only the next process does it.
        return chance(1) ? .ignoresTermination : .faults.randomElement(using: &random)!
      }
      return HandlerLife(
        comesBack: chance(70) ? .remembering : chance(50) ? .forgetting : nil,
        hearsDirectly: chance(50), launch: launch, deliveries: deliveries)
    }
  }
}

// MARK: - Printing

extension FaultPlan: CustomStringConvertible {
  /// One line for each step, numbered from 1.
  var description: String {
    steps.enumerated().map { "\(seed)/\($0 + 1): \($1)" }.joined(separator: "\n")
  }
}

extension FaultPlan.Open: CustomStringConvertible {
  var description: String {
    let marks = [hasRequestID ? "named" : nil, isCancellable ? "cancellable" : nil].compactMap(
      \.self)
    let hints = marks + (activates ? [] : ["in the background"])
    return "open \(number) by client \(client) for application \(application)"
      + (hints.isEmpty ? "" : ", " + hints.joined(separator: ", "))
  }
}

extension FaultPlan.Step: CustomStringConvertible {
  var description: String {
    switch self {
    case .open(let open): "\(open)"
    case .flood(let opens): "\(opens.count) opens at once: \(opens[0]), and so on"
    case .abandon(let open): "\(open); the opener leaves the bus"
    case .orphan(let open): "\(open); the parent of the opener ends"
    case .stopReadingAnswers: "somebody asks very much, and reads no answer"
    case .askAgain(let number): "ask again for open \(number)"
    case .cancel(let number): "cancel open \(number)"
    case .settle: "settle"
    case .live(let life, let application): "application \(application) from now on: \(life)"
    case .killHandler(let application): "kill application \(application)"
    case .stopReading(let open): "the application stops reading; \(open); it reads again"
    case .stealToken(let application): "check in with the token of application \(application)"
    case .killDaemon: "kill the daemon, start another"
    case .damageRecord(let page):
      "kill the daemon, overwrite page \(page) of its record, start another"
    }
  }
}
