internal import BusContract
internal import DBus
internal import Glibc
internal import Host
internal import LaunchRules
internal import Records

// What is written of requests and processes, and what is known of them from before.

extension Daemon {
  // MARK: Requests

  /// Under which name its requests are kept; those of one caller are nobody else's.
  func recordedName(of caller: Caller, on sender: String) -> String {
    if case .application(let identifier, _) = caller { return identifier.text }
    return callers.facts(of: sender)?.executable?.path ?? "?"
  }

  /// The request that is accepted now, as it is recorded.
  func entry(
    _ request: RequestID, _ subject: String, _ fingerprint: RequestFingerprint,
    _ application: BundleIdentifier, _ caller: String, _ options: OpenOptions
  ) -> RequestEntry {
    let entry = RequestEntry(
      number: request.number, time: RequestBook.now, caller: caller, clientID: options.requestID,
      subject: subject, fingerprint: fingerprint.value, handler: application.text)
    if options.requestID != nil { book.note(entry, isUrgent: true) }
    return entry
  }

  /// What is kept of a URL.
  func subject(_ url: String) -> String {
    if settings.recordsFullURLs { return url }
    let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    return end.map { String(url[..<$0]) } ?? url
  }

  /// From now on nobody can say that it has not arrived.
  func noteDelivering(_ open: PendingOpen, to pid: Int32) {
    open.entry.progress = .delivering
    open.entry.pid = pid
    if open.isNamed { book.note(open.entry, isUrgent: true) }
  }

  /// - Parameter isFinal: nothing will be known better.
  func noteFate(
    _ open: PendingOpen, _ fate: Result<OpenOutcome, OpenFailure>, isFinal: Bool
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
    book.note(open.entry, isUrgent: open.isNamed)
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

  /// Whether the request is one that this caller has made before, by its identifier.
  func repetition(
    _ fingerprint: RequestFingerprint, _ options: OpenOptions, _ caller: String,
    _ waiter: Waiter
  ) throws(BusError) -> Repetition {
    guard let id = options.requestID else { return .new }
    let underWay = opens.find(caller: caller, requestID: id)
    let entry =
      underWay.flatMap { opens[$0]?.entry } ?? book.find(caller: caller, clientID: id)
    guard let entry else { return .new }
    let handler = BundleIdentifier(entry.handler).flatMap(registry.application)
    let decision = RepeatedRequest.decide(
      underWay == nil ? entry.known : .underWay, isSame: entry.fingerprint == fingerprint.value,
      handlerPID: handler.flatMap { pid(of: $0.identifier) })
    switch decision {
    case .refuse(let why): throw .invalidArguments(why)
    case .accept: return .new
    case .join:
      guard let underWay else { return .new }
      if entry.progress == .settled {
        try answer(waiter, again: entry)
      } else {
        guard opens.join(underWay, waiter) else {
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
    book.note(entry, isUrgent: true)
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

  private func pid(of identifier: BundleIdentifier) -> Int32? {
    lifecycles.states(of: identifier).first?.instance.flatMap { instances[$0]?.pid }
  }

  // MARK: Processes

  func add(_ id: InstanceID, _ instance: Instances.Instance) {
    instances.add(id, instance)
    noteProcess(id, isSuspended: false)
  }

  func noteProcess(_ id: InstanceID, isSuspended: Bool) {
    guard let instance = instances[id], let startTime = instance.startTime else { return }
    book.started(
      RunningProcess(
        application: id.seat.application.text, seat: id.seat.number, pid: instance.pid,
        startTime: startTime, isOurs: instance.process != nil, isSuspended: isSuspended))
  }

  func remove(_ id: InstanceID) {
    guard let instance = instances.remove(id) else { return }
    book.ended(pid: instance.pid)
    if let unit = instance.unit { services.release(unit) }
  }

  /// Waits for those that served the daemon before this one, instead of starting them twice.
  func expectSurvivors() {
    let survivors = book.survivors()
    let starts = book.starts()
    let unnoted = starts.filter { start in
      !survivors.contains { $0.application == start.application && $0.seat == start.seat }
    }
    for process in survivors + processes(of: unnoted) {
      guard let identifier = BundleIdentifier(process.application),
        let id = lifecycles.expect(
          identifier, seat: process.seat, isOurs: process.isOurs, in: registry)
      else {
        book.ended(pid: process.pid)
        continue
      }
      let details = ProcessDetails(of: process.pid)
      let age = details.map { Time.microsecondsSinceBoot() - $0.startedAt } ?? 0
      var instance = Instances.Instance(
        pid: process.pid, startTime: process.startTime,
        since: Time.monotonicMicroseconds() - min(age, Time.monotonicMicroseconds()))
      if process.isOurs {
        let unit = heldUnit(of: details, id)
        instance.process = try? ChildProcess(adopting: process.pid, startTime: process.startTime) {
          [weak self] status in
          if let unit { self?.unitProcessEnded(id, unit) } else { self?.exited(id, status) }
        }
        instance.session = details?.session
        instance.unit = unit
        if process.isSuspended {
          instance.process?.signalGroup(SIGCONT)
          if let unit { services.order(.thawUnit, unit) }
        }
      }
      instance.watchdog = Deadline(after: .seconds(settings.checkInGrace)) { [weak self] in
        self?.didNotReturn(id)
      }
      add(id, instance)
    }
    for start in starts { book.endStart(of: start.application, seat: start.seat) }
  }

  private func didNotReturn(_ id: InstanceID) {
    let seconds = settings.checkInGrace
    if lifecycles.isExpectedBack(id), let pid = instances[id]?.pid {
      journal.warning(
        "a process did not check in again within \(seconds) s: it runs on, but cannot be reached",
        ["application": id.seat.application.text, "pid": "\(pid)"])
    }
    happened(.watchdogFired(id, seconds: seconds), to: id)
  }
}

nonisolated extension RequestEntry {
  /// What the daemon before this one has left.
  var known: RepeatedRequest.Known {
    switch progress {
    case .accepted: .accepted
    case .delivering: .delivering(pid: pid)
    case .settled: .settled
    }
  }
}
