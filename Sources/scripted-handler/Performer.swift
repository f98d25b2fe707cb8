internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import LaunchServicesTesting

/// Performs a script.
///
/// It has two connections to the bus: one as the application, with which it checks in, and one to the test,
/// which remains when the application leaves the bus.
final class Performer {
  private let identifier: String
  private let facts: StartFacts
  private let director: BusSession
  private let application: BusSession
  private let socket: Socket
  private var direct: DirectDeliveries?
  private var script = HandlerScript.delegate()
  private var deliveries = 0
  private var hasLaunched = false
  private var hasNewDaemon = false
  /// The results of requests that have a number.
  private var memory: [UInt64: Remembered] = [:]

  private struct Remembered {
    /// Nil while the request is processed.
    var answer: Result<Bool, BusError>?
    /// Calls that repeated the request meanwhile.
    var repeating: [PendingCall] = []
  }
  /// Calls without an answer after their steps; kept, because releasing a call answers it.
  private var unanswered: [PendingCall] = []

  init(_ identifier: String, _ facts: StartFacts) throws(BusError) {
    self.identifier = identifier
    self.facts = facts
    director = BusSession(try Connection())
    let before = Socket.all()
    application = BusSession(try Connection())
    socket = Socket(after: before)
  }

  func launch() async throws(BusError) {
    director.onDisconnect = { exit(0) }
    director.onCall = { [unowned self] call in asked(call) }
    application.onCall = { [unowned self] call in delivered(call) }
    director.start()
    application.start()
    let answer = try await director.call(
      DirectorContract.call(
        DirectorContract.start, sender + [.string(application.connection?.uniqueName ?? "")]),
      deadline: nil)
    guard let json = answer.first?.asString,
      let script = DirectorContract.decode(HandlerScript.self, json)
    else { throw .failed("the director gave no script") }
    self.script = script
    if script.comesBack != nil { try await watchDaemon() }
    let steps =
      Child.isLeft(facts)
      ? script.launch.drop { $0 != .forkAndLeave && $0 != .fork }.dropFirst() : script.launch[...]
    for step in steps {
      try await perform(step, for: nil)
      if step == .fork { return }
    }
    hasLaunched = true
    if hasNewDaemon { try await checkInAgain() }
  }

  // MARK: Another daemon

  private func watchDaemon() async throws(BusError) {
    application.onSignal = { [unowned self] signal in
      guard signal.member == "NameOwnerChanged",
        signal.arguments().last?.asString?.isEmpty == false
      else { return }
      hasNewDaemon = true
      if hasLaunched { Task { try? await checkInAgain() } }
    }
    _ = try await application.call(
      MessageBus.addMatch(MessageBus.ownerChanges(of: Contract.busName)))
  }

  private func checkInAgain() async throws(BusError) {
    hasNewDaemon = false
    var options = CheckInOptions()
    options.isRunning = true
    options.remembersRequests = script.comesBack == .remembering
    options.state = "active"
    do throws(BusError) {
      _ = try await application.call(Contract.checkIn(options), deadline: nil)
      if script.launch.contains(.hearDirectly) { await hearDirectly() }
      try await tell(.cameBack)
    } catch {
      try await tell(.checkInRefused(Refusal(error)))
    }
  }

  private func hearDirectly() async {
    direct = nil
    let path = DirectSocket.path { [facts] in facts.environment[$0] }
    guard let path, let connection = await DirectDeliveries.connect(path) else { return }
    await withCheckedContinuation { continuation in
      direct = DirectDeliveries(
        on: connection, besides: application, offer: Contract.deliverDirectly,
        settled: { _ in continuation.resume() }
      ) { [unowned self] in delivered($0) }
    }
  }

  /// Returns when the test has received the event.
  private func tell(_ event: HandlerEvent) async throws(BusError) {
    _ = try await director.call(
      DirectorContract.call(
        DirectorContract.tell, sender + [.string(DirectorContract.encode(event))]),
      deadline: nil)
  }

  private var sender: [Value] { [.string(identifier), .uint32(UInt32(getpid()))] }

  // MARK: Steps

  private func perform(_ step: HandlerScript.Step, for call: PendingCall?) async throws(BusError) {
    switch step {
    case .wait:
      _ = try await director.call(
        DirectorContract.call(DirectorContract.wait, sender), deadline: nil)
    case .checkIn(let proof): try await checkIn(proof)
    case .finishLaunching(let will, let did):
      try await tell(.finishing)
      _ = try? await application.call(
        Contract.finishLaunching(will: will, did: did), deadline: nil)
    case .own(let name):
      guard let name = BusName(name), try application.requestName(name) == .owned else {
        throw .failed("the bus name \(name) cannot be owned")
      }
    case .release(let name):
      _ = try await application.call(MessageBus.call("ReleaseName", [.string(name)]))
    case .answer(let handled):
      if let call { answer(call, .success(handled)) }
    case .refuse(let text):
      if let call { answer(call, .failure(.failed(text))) }
    case .report: try await tell(.facts(facts))
    case .ignoreTermination: signal(SIGTERM, SIG_IGN)
    case .signal(let number, let pid): kill(pid, number)
    case .forkAndLeave:
      Child.takeOver(facts)
      exit(0)
    case .fork: Child.takeOver(facts, staysInSession: true)
    case .become(let program, let identifier):
      unsafe setenv(Contract.identifierVariable, identifier, 1)
      var arguments = unsafe [unsafe strdup(program), nil]
      unsafe execv(program, &arguments)
      throw .failed("it cannot become \(program)")
    case .hearDirectly: await hearDirectly()
    case .leaveBus:
      application.stop()
      socket.shutDown()
    case .exit(let code): exit(code)
    case .crash: kill(getpid(), SIGKILL)
    }
  }

  private func checkIn(_ proof: HandlerScript.Proof) async throws(BusError) {
    hasNewDaemon = false
    var options = CheckInOptions()
    options.wantsDescriptors = script.wantsDescriptors
    options.takesConnectionOptions = script.takesConnectionOptions
    switch proof {
    case .token: options.token = facts.environment[Contract.tokenVariable]
    case .madeUp(let text): options.token = text
    case .identifier(let text): options.bundleIdentifier = text
    case .nothing: break
    }
    do throws(BusError) {
      let answer = try await application.call(Contract.checkIn(options), deadline: nil)
      try await tell(.checkedIn(LaunchReason(answer.first?.asOptions ?? [:])))
    } catch {
      try await tell(.checkInRefused(Refusal(error)))
    }
  }

  // MARK: Deliveries

  private func delivered(_ call: PendingCall) {
    let arguments = call.arguments()
    let event: HandlerEvent
    switch call.member {
    case "Open" where call.interface == "org.freedesktop.Application":
      event = .opened((arguments.first?.asStrings ?? []).map { OpenedURL($0) })
    case _ where call.interface != Contract.application.text:
      return call.fail(.failed("\(call.member) is unknown"))
    case "OpenURLs": event = .opened((arguments.first?.elements ?? []).compactMap(OpenedURL.init))
    case "ContinueUserActivity":
      let activity = arguments.last?.asOptions ?? [:]
      event = .continued(OpenedURL(activity[Key.webpageURL]?.asString ?? "", activity))
    case "PerformQuickAction":
      event = .performed(
        arguments.first?.asString ?? "",
        userInfo: LaunchHints.texts(arguments.last?.asOptions?[Key.userInfo]))
    case "Reopen":
      event = .reopened(
        activationToken: arguments.first?.asOptions?[Key.activationToken]?.asString)
    case "StateChanged":
      if script.tellsStates {
        let state = arguments.first?.asString ?? ""
        Task { try? await tell(.became(state)) }
      }
      return call.succeed()
    default: return call.succeed()
    }
    let (number, isRepeated) = Self.request(call.member, arguments)
    if script.comesBack == .remembering, isRepeated, let number, let known = memory[number] {
      if let answer = known.answer {
        self.answer(call, answer)
      } else {
        memory[number]?.repeating.append(call)
      }
      return
    }
    if let number { memory[number] = Remembered() }
    let steps = script.steps(forDelivery: deliveries)
    deliveries += 1
    Task {
      do throws(BusError) {
        try await tell(event)
        for step in steps { try await perform(step, for: call) }
      } catch {
        ScriptedHandlerProgram.end("\(error)")
      }
      if !call.isAnswered { unanswered.append(call) }
    }
  }

  /// Answers the call, and the calls that repeat its request.
  private func answer(_ call: PendingCall, _ answer: Result<Bool, BusError>) {
    var calls = [call]
    if let number = Self.request(call.member, call.arguments()).number {
      calls += memory[number]?.repeating ?? []
      memory[number] = Remembered(answer: answer)
    }
    for call in calls where !call.isAnswered {
      switch answer {
      case .success(let handled):
        let urls = call.member == "OpenURLs" ? call.arguments().first?.elements : nil
        call.succeed([urls.map { .booleans($0.map { _ in handled }) } ?? .boolean(handled)])
      case .failure(let error): call.fail(error)
      }
    }
  }

  /// The number of a delivery's request, and whether the delivery is repeated.
  private static func request(
    _ member: String, _ arguments: [Value]
  ) -> (number: UInt64?, isRepeated: Bool) {
    let options =
      member == "OpenURLs"
      ? arguments.first?.elements?.first?.elements?.last?.asOptions : arguments.last?.asOptions
    return (options?[Key.request]?.asUInt64, options?[Key.repeated]?.asBoolean ?? false)
  }

  // MARK: Questions

  private func asked(_ call: PendingCall) {
    guard call.member == DirectorContract.ask.text, let json = call.arguments().first?.asString,
      let asking = DirectorContract.decode(Asking.self, json)
    else { return call.fail(.failed("\(call.member) is unknown")) }
    do {
      switch asking.asker {
      case .itself: answer(asking, from: TestClient(on: application))
      case .otherConnection: answer(asking, from: try TestClient(address: nil))
      case .direct: answer(asking, from: try TestClient(directIn: facts.environment))
      case .child: try Child.start(json, environment: facts.environment)
      case .nested: try Child.startNested(json, environment: facts.environment)
      case .orphan: try Child.startOrphan(json, environment: facts.environment)
      case .detached:
        try Child.startOrphan(json, environment: facts.environment, staysInSession: false)
      case .survivor:
        try Child.startOrphan(json, environment: facts.environment)
        call.succeed()
        director.connection?.flush()
        exit(0)
      }
      call.succeed()
    } catch {
      call.fail(.failed("\(error)"))
    }
  }

  private func answer(_ asking: Asking, from client: TestClient) {
    Task {
      let answer = await asking.question.answer(from: client)
      _ = try? await director.call(DirectorContract.answer(asking, answer))
    }
  }
}
