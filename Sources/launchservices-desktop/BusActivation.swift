internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import DesktopEntries
internal import Host
internal import LaunchRules

/// Passes URLs to applications that the bus starts: those with `DBusActivatable` in their desktop entries.
struct BusActivation {
  private let session: BusSession
  private let receivers: ReceivingProcess
  private let overdue: OverdueAnswers
  /// Timeout of the start and the answer together; shorter than the daemon's default timeout for a delivery.
  private static let patience: Duration = .seconds(15)

  init(_ session: BusSession, _ overdue: OverdueAnswers) {
    self.session = session
    self.overdue = overdue
    receivers = ReceivingProcess(session)
  }

  /// - Parameters:
  ///   - urls: empty to bring the application to the front.
  ///   - completion: called once, later.
  func open(
    _ urls: [String], with application: DesktopApplication, _ peer: FreedesktopApplication,
    _ surroundings: DesktopOpener.Surroundings,
    completion: @escaping (RunningApplications.Outcome) -> Void
  ) {
    Task {
      completion(
        await open(urls, application, peer, surroundings, until: .now + Self.patience))
    }
  }

  /// See `DesktopOpener.objection`.
  func objection(to application: DesktopApplication, _ bus: BusName) async -> DesktopFailure? {
    guard let owner = try? await BusNameOwner.of(bus, on: session), let process = owner.process
    else { return nil }
    let objection = await receivers.objection(
      to: process, at: .connection(owner.connection), of: application)
    return process.isRunning ? objection : nil
  }

  private func open(
    _ urls: [String], _ application: DesktopApplication, _ peer: FreedesktopApplication,
    _ surroundings: DesktopOpener.Surroundings, until deadline: ContinuousClock.Instant
  ) async -> RunningApplications.Outcome {
    let token = surroundings.token
    let name = application.identifier
    // The owner is looked up before the URL is sent: the URL goes to this process only, because an application can
    // return any error, and a URL that it has received must not be passed to a second process.
    var owner: BusNameOwner?
    do throws(DesktopFailure) {
      owner = try await BusNameOwner.of(peer.name, on: session)
    } catch {
      return .failed(error)
    }
    let launch: OpenOutcome.Launch = owner == nil ? .cold : .warm
    if owner == nil {
      switch BusStartRule.start(
        urls: urls.count, takesURLs: application.execTakesURIs,
        areFiles: urls.allSatisfy(DocumentURL.isOne) && application.execTakesFiles,
        variables: surroundings.variables)
      {
      case .byBus: break
      case .byProgram: return .notTaken
      case .impossible(let why): return .failed(DesktopFailure("\(name) was not started: \(why)"))
      }
      let start = MessageBus.startService(peer.name)
      if case .failure(let error) = await call(start, until: deadline) {
        // The bus cannot start the application, so that its program may be started.
        if error.name == .serviceUnknown { return .notTaken }
        return .failed(
          DesktopFailure(
            error == .timedOut
              ? "\(name) did not take its bus name within \(Self.patience.components.seconds) s of its"
                + " start, so the URL was not sent"
              : "\(name) was not started by the message bus: \(error.text)"))
      }
      owner = try? await BusNameOwner.of(peer.name, on: session)
    }
    guard let owner else {
      return .failed(DesktopFailure("\(name) has released its bus name before the URL was sent"))
    }
    // Any process may own a free name, and the bus starts no service whose name is owned.
    guard let process = owner.process else {
      return .failed(DesktopFailure("the process that owns the bus name of \(name) is unknown"))
    }
    let objection = await receivers.objection(
      to: process, at: .connection(owner.connection), of: application)
    if let objection {
      // A process that has ended meanwhile cannot be identified.
      guard process.isRunning else {
        return await open(urls, application, peer, surroundings, until: deadline)
      }
      return .failed(objection)
    }
    let message =
      urls.isEmpty
      ? peer.activate(activationToken: token, at: owner.connection)
      : peer.open(urls, activationToken: token, at: owner.connection)
    let patience = overdue.patience(
      with: process, ContinuousClock.now.duration(to: deadline))
    let answer = BusAnswer(
      await overdue.answer(to: message, of: process, within: patience, on: session))
    return outcome(answer, name, launch, owner, within: patience)
  }

  private func outcome(
    _ answer: BusAnswer, _ name: String, _ launch: OpenOutcome.Launch, _ owner: BusNameOwner,
    within patience: Duration
  ) -> RunningApplications.Outcome {
    switch HandOverProtocol.verdictOnActivated(answer) {
    case .taken(let delivery):
      .taken(
        HandOver(
          delivery, by: .freedesktopApplication, launch: launch,
          owner: launch == .warm
            ? owner.process.map { .init(pid: $0.pid, startTime: $0.startTime) } : nil,
          process: owner.process?.pid))
    case .refused(let why):
      .failed(DesktopFailure("\(name) returned an error for the URL: \(why)"))
    case .notTaken, .ending: .notTaken
    case .unknown, .proceed:
      .failed(ReceivingProcess.unanswered(name, owner.process, answer, within: patience))
    }
  }

  private func call(
    _ message: consuming Message, until deadline: ContinuousClock.Instant
  ) async -> Result<[Value], BusError> {
    let rest = ContinuousClock.now.duration(to: deadline)
    guard rest > .zero else { return .failure(.timedOut) }
    do throws(BusError) {
      return .success(try await session.call(message, deadline: rest))
    } catch {
      return .failure(error)
    }
  }
}
