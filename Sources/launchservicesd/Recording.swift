internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

// What is written of requests and processes, and what is known of them from before.

extension Daemon {
  // MARK: Requests

  /// Who asked, as the log and the history say it.
  func recordedName(of caller: Caller, on sender: String) -> String {
    if case .application(let identifier, _) = caller { return identifier.text }
    return callers.facts(of: sender)?.executable?.path ?? "?"
  }

  /// Who shares the record with others: an application, a unit, or the programs of one session.
  func origin(of caller: Caller, on sender: String) -> String {
    let name = recordedName(of: caller, on: sender)
    guard case .unidentified = caller, let facts = callers.facts(of: sender) else { return name }
    return "\(name) \(facts.unit ?? "") \(facts.session.number)"
  }

  /// Under what a request is found again; nil when its client gave it no identifier.
  func requestName(_ options: OpenOptions, _ caller: Caller, on sender: String) -> RequestName? {
    guard let id = options.requestID else { return nil }
    let confined: String?
    switch caller {
    case .application(let own, _) where isSandboxed(own): confined = own.text
    case .orphan(isSandboxed: true): confined = "?"
    case .application, .orphan, .unidentified:
      confined = callers.facts(of: sender)?.flatpak?.text
    }
    return RequestName(id, confined: confined)
  }

  /// The request that is accepted now, as it is recorded.
  func entry(
    _ request: RequestID, _ asked: Asked, _ application: BundleIdentifier, _ caller: String
  ) -> RequestEntry {
    RequestEntry(
      number: request.number, time: RequestClock.now, caller: caller,
      origin: origin(of: asked.question.caller, on: asked.waiter.sender), name: asked.name,
      subject: asked.subject, fingerprint: asked.fingerprint.value, handler: application.text)
  }

  /// What is kept of a URL.
  func subject(_ url: String) -> String {
    if settings.record.keepsFullURLs { return url }
    let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    return end.map { String(url[..<$0]) } ?? url
  }

  /// From now on nobody can say that it has not arrived.
  /// - Parameter then: called when that is written, at once for a request without a name. It is not called when
  ///   the daemon is stopping: the next one says what became of the request.
  func noteDelivering(
    _ open: PendingOpen, to process: (pid: Int32, startTime: UInt64),
    then: @escaping (_ isRecorded: Bool) -> Void = { _ in }
  ) {
    open.entry.progress = .delivering
    open.entry.pid = process.pid
    open.entry.startTime = process.startTime
    guard open.isNamed else { return then(true) }
    requests.note(open.entry) { [weak self] isRecorded in
      if self?.isStopping == false { then(isRecorded) }
    }
  }

  /// - Parameters:
  ///   - isFinal: nothing will be known better.
  ///   - then: called when it is written, at once for a request without a name.
  func noteFate(
    _ open: PendingOpen, _ fate: Result<OpenOutcome, OpenFailure>, isFinal: Bool,
    then: @escaping () -> Void = {}
  ) {
    open.entry.progress = .settled
    open.entry.pid = open.pid
    open.entry.trail = open.trail.map { .init($0.state, at: $0.microseconds) }
    switch fate {
    case .success(let outcome):
      open.entry.launch = outcome.launch.rawValue
      open.entry.fate = outcome.delivery.rawValue
      open.entry.handled = outcome.handled
    case .failure(let failure):
      open.entry.fate = failure.name
      open.entry.detail = open.discreet(failure).text
    }
    requests.note(open.entry) { _ in then() }
    if isFinal { tellMonitors(open.entry) }
  }

  // MARK: Requests that come again

  enum Repetition {
    /// It was never asked for before.
    case new
    /// The call is dealt with.
    case answered
    /// To be handed once more to the process that was given it.
    case again(InstalledApplication, RequestEntry)
  }

  /// Looks for a request of this name, and goes on with what is found: at once when there surely is none, else when
  /// the record has answered, and what the caller asks meanwhile waits for that.
  func afterLookingFor(
    _ name: RequestName?, _ options: OpenOptions, _ call: PendingCall,
    _ body: @escaping (RequestFound) throws(BusError) -> Void
  ) throws(BusError) {
    guard let name, opens.find(name) == nil,
      !requests.isNew(name, isRepeated: options.isRepeated)
    else { return try body(.never) }
    server.inTurn(call) { [self] in
      let found = await requests.find(name, isRepeated: options.isRepeated)
      guard !isStopping else { return }
      do throws(BusError) { try body(found) } catch { server.refuse(call, error) }
    }
  }

  /// Whether the request is one that was made before, by its name.
  func repetition(_ asked: Asked, _ found: RequestFound) throws(BusError) -> Repetition {
    guard let name = asked.name else { return .new }
    let waiter = asked.waiter
    let underWay = opens.find(name)
    let entry: RequestEntry
    switch (underWay.flatMap { opens[$0]?.entry }, found) {
    case (let known?, _), (nil, .entry(let known)): entry = known
    case (nil, .never):
      return .new
    case (nil, .unknown(let why)):
      throw Self.lost(why)
    }
    let handler = BundleIdentifier(entry.handler).flatMap(registry.application)
    let decision = RepeatedRequest.decide(
      underWay == nil ? entry.known : .underWay,
      isSame: entry.fingerprint == asked.fingerprint.value,
      handler: handler.flatMap { process(of: $0.identifier) })
    switch decision {
    case .refuse(let why): throw .invalidArguments(why)
    case .accept: return .new
    case .join:
      guard let underWay else { return .new }
      if entry.progress == .settled {
        try answer(waiter, again: entry)
      } else {
        let wait = PendingOpen.Wait(waiter: waiter, cancellationID: asked.options.cancellationID)
        guard opens.join(underWay, wait) else {
          throw OpenFailure.limitExceeded(
            "\(PendingOpens.mostJoined) calls repeat this request already, which is the limit"
          ).busError
        }
      }
      return .answered
    case .answerAgain:
      try answer(waiter, again: entry)
      return .answered
    case .askAgain:
      // It may be registered again while its process lives.
      guard let handler else { throw Self.unknown(entry).busError }
      return .again(handler, entry)
    case .unknown: throw leaveUnknown(entry)
    }
  }

  static func lost(_ why: String) -> BusError {
    OpenFailure.deliveryUnknown(
      "it is not known whether the request arrived, and it is not sent again: \(why)"
    ).busError
  }

  private static func unknown(_ entry: RequestEntry) -> OpenFailure {
    .deliveryUnknown(
      "the daemon ended while it handed the request to \(entry.handler), process \(entry.pid),"
        + " which is gone: it is not known whether it arrived, and it is not sent again")
  }

  /// That is its fate from now on.
  private func leaveUnknown(_ entry: RequestEntry) -> BusError {
    let failure = Self.unknown(entry)
    var entry = entry
    entry.progress = .settled
    entry.fate = failure.name
    entry.detail = failure.text
    requests.note(entry)
    tellMonitors(entry)
    return failure.busError
  }

  private func answer(_ waiter: Waiter, again entry: RequestEntry) throws(BusError) {
    guard let fate = entry.fate, let delivery = OpenOutcome.Delivery(rawValue: fate),
      let launch = entry.launch.flatMap(OpenOutcome.Launch.init)
    else {
      throw OpenFailure.busError(named: entry.fate ?? "", entry.detail ?? "")
    }
    let receipt = Receipt(
      request: entry.number, handler: entry.handler,
      outcome: OpenOutcome(launch, delivery, handled: entry.handled),
      pid: UInt32(clamping: entry.pid),
      trail: entry.trail.map { .init($0.state, at: $0.microseconds) }, isRepeated: true)
    waiter.succeed(receipt.dictionary)
  }

  private func process(of identifier: BundleIdentifier) -> RepeatedRequest.Process? {
    lifecycles.states(of: identifier).first?.instance.flatMap { supervisor[$0] }.map {
      RepeatedRequest.Process(pid: $0.pid, startTime: $0.startTime ?? 0)
    }
  }

  // MARK: Processes

  func record(_ process: SupervisedProcess, of id: InstanceID) {
    guard let startTime = process.startTime else { return }
    requests.started(
      RunningProcess(
        application: id.slot.application.text, seat: id.slot.number, pid: process.pid,
        startTime: startTime, isOurs: process.isOurs, isSuspended: process.isSuspended,
        successor: process.successor.map { .init(pid: $0.pid, startTime: $0.startTime) }))
  }

  func remove(_ id: InstanceID) {
    deliveries.remove(id)
    if let process = supervisor.remove(id) { requests.ended(pid: process.pid) }
  }

  /// Waits for those that served the daemon before this one, instead of starting them twice.
  func expectSurvivors() {
    let survivors = before.survivors.compactMap { process in
      let living = Self.living(process)
      if living?.pid != process.pid { requests.ended(pid: process.pid) }
      return living
    }
    let starts = before.starts
    let unnoted = starts.filter { start in
      !survivors.contains { $0.application == start.application && $0.seat == start.seat }
    }
    for process in survivors + processes(of: unnoted) {
      guard let identifier = BundleIdentifier(process.application),
        let id = lifecycles.expect(
          identifier, slot: process.seat, isOurs: process.isOurs, in: registry)
      else {
        requests.ended(pid: process.pid)
        continue
      }
      supervisor.adopt(
        id, pid: process.pid, startTime: process.startTime, isOurs: process.isOurs,
        isSuspended: process.isSuspended,
        successor: process.successor.map { .init(pid: $0.pid, startTime: $0.startTime) },
        patience: settings.launch.checkInGrace)
    }
    for start in starts { requests.endStart(of: start.application, seat: start.seat) }
  }
}

nonisolated extension RequestEntry {
  /// What the daemon before this one has left.
  var known: RepeatedRequest.Known {
    switch progress {
    case .accepted: .accepted
    case .delivering: .delivering(RepeatedRequest.Process(pid: pid, startTime: startTime))
    case .settled: .settled
    }
  }
}
