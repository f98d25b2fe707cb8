import LaunchServicesTesting

/// How the processes of an application live: a launch, and what is done about each delivery, often with a
/// fault in it.
struct HandlerLife: Hashable, CustomStringConvertible {
  enum Launch: String, Hashable, CaseIterable {
    case inOrder = "launch"
    case slowToCheckIn = "slow to check in"
    case slowToFinish = "slow to finish launching"
    case exitBeforeCheckIn = "exit before check-in"
    case crashBeforeCheckIn = "crash before check-in"
    case exitAfterCheckIn = "exit after check-in"
    case crashAfterCheckIn = "crash while launching"
    case madeUpToken = "made-up token"
    case noToken = "check-in without a token"
    case secondCheckIn = "second check-in"
    case busLost = "bus lost while launching"
    case forkAndLeave = "fork and leave"
    case veto = "veto"

    static let faults = allCases.filter { $0 != .inOrder }

    var steps: [HandlerScript.Step] {
      switch self {
      case .inOrder: [.checkIn(), .finishLaunching()]
      case .slowToCheckIn: [.wait, .checkIn(), .finishLaunching()]
      case .slowToFinish: [.checkIn(), .wait, .finishLaunching()]
      case .exitBeforeCheckIn: [.exit(3)]
      case .crashBeforeCheckIn: [.crash]
      case .exitAfterCheckIn: [.checkIn(), .exit(0)]
      case .crashAfterCheckIn: [.checkIn(), .crash]
      case .madeUpToken: [.checkIn(.madeUp("guess")), .exit(1)]
      case .noToken: [.checkIn(.nothing), .finishLaunching()]
      case .secondCheckIn: [.checkIn(), .checkIn(), .finishLaunching()]
      case .busLost: [.checkIn(), .leaveBus]
      case .forkAndLeave: [.forkAndLeave, .checkIn(), .finishLaunching()]
      case .veto: [.checkIn(), .finishLaunching(did: false)]
      }
    }

    /// What openers may be told because of it.
    var fates: Set<Fate> {
      switch self {
      case .inOrder, .slowToCheckIn, .slowToFinish, .noToken, .secondCheckIn: []
      case .veto: [.vetoed]
      case .exitBeforeCheckIn, .crashBeforeCheckIn, .exitAfterCheckIn, .crashAfterCheckIn,
        .madeUpToken, .busLost, .forkAndLeave:
        [.exited]
      }
    }
  }

  enum Delivery: String, Hashable, CaseIterable {
    case handled
    case notHandled = "not handled"
    case slow = "slow to answer"
    case hangAndCrash = "hang, then crash"
    case refusal
    case exitBeforeAnswer = "exit before the answer"
    case crashBeforeAnswer = "crash before the answer"
    case exitAfterAnswer = "exit after the answer"
    case crashAfterAnswer = "crash after the answer"
    case busLost = "bus lost"
    case busLostAfterAnswer = "bus lost after the answer"
    case ignoresTermination = "SIGTERM ignored"

    static let faults = allCases.filter { $0 != .handled && $0 != .ignoresTermination }

    var steps: [HandlerScript.Step] {
      switch self {
      case .handled: [.answer(true)]
      case .notHandled: [.answer(false)]
      case .slow: [.wait, .answer(true)]
      case .hangAndCrash: [.wait, .crash]
      case .refusal: [.refuse("no")]
      case .exitBeforeAnswer: [.exit(0)]
      case .crashBeforeAnswer: [.crash]
      case .exitAfterAnswer: [.answer(true), .exit(0)]
      case .crashAfterAnswer: [.answer(false), .crash]
      case .busLost: [.leaveBus]
      case .busLostAfterAnswer: [.answer(true), .leaveBus]
      case .ignoresTermination: [.ignoreTermination, .leaveBus]
      }
    }

    /// What openers may be told because of it. An answer may be lost with the process that gave it.
    var fates: Set<Fate> {
      switch self {
      case .handled, .notHandled, .slow: []
      case .refusal: [.refused]
      case .hangAndCrash, .exitBeforeAnswer, .crashBeforeAnswer, .exitAfterAnswer,
        .crashAfterAnswer, .busLost, .busLostAfterAnswer, .ignoresTermination:
        [.exited]
      }
    }
  }

  /// Whether it checks in again with another daemon.
  var comesBack: HandlerScript.Return?
  /// It hears from the daemon with no bus between once it has launched.
  var hearsDirectly = false
  var launch: Launch
  /// The last stands for all that follow.
  var deliveries: [Delivery]

  var script: HandlerScript {
    var script = HandlerScript(launch: launch.steps, deliveries: deliveries.map(\.steps))
    script.comesBack = comesBack
    if hearsDirectly { script.launch.append(.hearDirectly) }
    return script
  }

  var fates: Set<Fate> { deliveries.reduce(launch.fates) { $0.union($1.fates) } }

  var faults: [String] {
    (launch == .inOrder ? [] : [launch.rawValue])
      + deliveries.filter { $0 != .handled }.map(\.rawValue)
  }

  var description: String {
    ([launch.rawValue] + deliveries.map(\.rawValue)).joined(separator: ", ") + "; "
      + (comesBack.map { "comes back \($0)" } ?? "does not come back")
      + (hearsDirectly ? ", hears directly" : "")
  }
}
