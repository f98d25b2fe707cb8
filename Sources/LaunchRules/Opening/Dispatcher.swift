/// Chooses the handler of each open and keeps the life of every application.
///
/// Pure: events in, effects out. It is the one owner of the registry and of all lifecycles.
package struct Dispatcher: Sendable {
  package typealias Event = HandlerLifecycle.Event
  package typealias Effect = HandlerLifecycle.Effect

  package var registry: Registry
  /// How many requests may wait for one application.
  package let queueLimit: Int
  private var lifecycles: [BundleIdentifier: [Seat: HandlerLifecycle]] = [:]
  /// Where the requests are that have no fate yet.
  private var seats: [RequestID: Seat] = [:]
  private var lastExtraSeat = 0
  private var stage = Stage()
  /// Set while a process comes back: whether it does so as the one in front.
  private var comesToFront: Bool?

  package init(registry: Registry, queueLimit: Int = 1000) {
    self.registry = registry
    self.queueLimit = queueLimit
  }
}

// MARK: - Choosing

extension Dispatcher {
  /// What an open asks for.
  package struct Target: Hashable, Sendable {
    package var scheme: URLScheme
    /// The designated handler (R5.28).
    package var designated: BundleIdentifier?
    package var universalLinksOnly: Bool

    package init(
      scheme: URLScheme, designated: BundleIdentifier? = nil, universalLinksOnly: Bool = false
    ) {
      self.scheme = scheme
      self.designated = designated
      self.universalLinksOnly = universalLinksOnly
    }
  }

  /// The application that an open of `target` goes to.
  package func choose(_ target: Target) throws(OpenFailure) -> InstalledApplication {
    if let designated = target.designated { return try installed(designated) }
    if target.universalLinksOnly {
      throw .applicationNotFound("no application is registered for this universal link")
    }
    switch registry.route(target.scheme) {
    case .handler(let candidate): return try installed(candidate.identifier)
    case .notFound:
      throw .applicationNotFound("no application is registered for the scheme \(target.scheme)")
    case .ambiguous(let identifiers):
      let names = identifiers.map(\.text).joined(separator: ", ")
      throw .ambiguousHandler(
        "the scheme \(target.scheme) is claimed by \(names), and the settings forbid a guess;"
          + " choose one with: lsregister default \(target.scheme) ID")
    }
  }

  package func installed(_ identifier: BundleIdentifier) throws(OpenFailure) -> InstalledApplication
  {
    guard let application = registry.application(identifier) else {
      throw .applicationNotFound("no application \(identifier) is registered")
    }
    return application
  }
}

// MARK: - Opening

extension Dispatcher {
  package mutating func open(
    _ request: OpenRequest, with application: InstalledApplication, newInstance: Bool = false
  ) throws(OpenFailure) -> [Effect] {
    let seat = try self.seat(for: application, newInstance: newInstance)
    let load = lifecycle(at: seat)?.state.load ?? 0
    guard load < queueLimit else {
      throw .limitExceeded(
        "\(queueLimit) opens wait for \(application.identifier) already, which is the limit"
          + " MaximumQueueLength of the settings")
    }
    seats[request.id] = seat
    return handle(.openRequested(request), at: seat, of: application)
  }

  private mutating func seat(
    for application: InstalledApplication, newInstance: Bool
  ) throws(OpenFailure) -> Seat {
    let taken = takenSeats(of: application.identifier)
    guard let main = taken.first else { return Seat(application.identifier) }
    guard newInstance else { return main }
    guard application.declaration.platform == .macOS else {
      throw .notPermitted(
        "\(application.identifier) runs, and an iOS application has one process only")
    }
    guard !application.declaration.prohibitsMultipleInstances else {
      throw .launchFailed(
        "\(application.identifier) runs, and its LSMultipleInstancesProhibited forbids a second"
          + " instance (kLSMultipleSessionsNotSupportedErr, -10829)")
    }
    return extraSeat(of: application.identifier)
  }

  private mutating func extraSeat(of identifier: BundleIdentifier) -> Seat {
    lastExtraSeat += 1
    return Seat(identifier, number: lastExtraSeat)
  }

  /// The seats with a process, the main one first.
  private func takenSeats(of identifier: BundleIdentifier) -> [Seat] {
    (lifecycles[identifier] ?? [:]).filter { $0.value.state != .notRunning }.keys
      .sorted { $0.number < $1.number }
  }

  /// A process was started there and has not checked in, or must go: another may take its place.
  private func isUnclaimed(_ seat: Seat) -> Bool {
    switch lifecycle(at: seat)?.state {
    case .launching(let launching): launching.phase != .awaitingFinish
    case .ending: true
    case .running, .notRunning, nil: false
    }
  }

  private func lifecycle(at seat: Seat) -> HandlerLifecycle? {
    lifecycles[seat.application]?[seat]
  }

  /// An event of one instance.
  package mutating func handle(_ event: Event, of instance: InstanceID) -> [Effect] {
    handle(event, at: instance.seat, of: registry.application(instance.seat.application))
  }

  package mutating func cancel(_ request: RequestID) -> [Effect] {
    guard let seat = seats[request] else { return [] }
    return handle(.cancelled(request), at: seat, of: registry.application(seat.application))
  }

  private mutating func handle(
    _ event: Event, at seat: Seat, of application: InstalledApplication?
  ) -> [Effect] {
    var lifecycle = lifecycle(at: seat) ?? HandlerLifecycle(seat, style: .delegate)
    if lifecycle.state == .notRunning, let application {
      lifecycle.style = application.declaration.usesScenes ? .scene : .delegate
    }
    let before = lifecycle.state
    let decided = lifecycle.handle(event)
    let effects = staged(decided, of: event, before, lifecycle.state, application)
    // An extra seat is gone with its process; its number is not used again.
    let isGone = lifecycle.state == .notRunning && seat.number > 0
    lifecycles[seat.application, default: [:]][seat] = isGone ? nil : lifecycle
    for effect in effects {
      switch effect {
      case .succeed(let id, _), .fail(let id, _): seats[id] = nil
      case .launch, .answerCheckIn, .disarmWatchdog, .deliver, .stop, .forget, .stage: break
      }
    }
    return effects
  }
}

// MARK: - Foreground and background

extension Dispatcher {
  /// What is seen of an event, woven into what is done about it.
  private mutating func staged(
    _ effects: [Effect], of event: Event, _ before: HandlerLifecycle.State,
    _ after: HandlerLifecycle.State, _ application: InstalledApplication?
  ) -> [Effect] {
    var shown: [Effect] = []
    func show(_ effects: [Stage.Effect]) { shown += effects.map(Effect.stage) }
    if let old = before.instance, old != after.instance { stage.left(old) }
    if case .answered(let instance, _, _) = event, case .running = after {
      show(stage.delivered(to: instance))
    }
    if case .running(let running) = after, !before.isRunning {
      var reason: OpenRequest?
      if case .launching(let launching) = before { reason = launching.reason }
      stage.launched(
        running.instance, maySuspend: running.isOurs,
        exitsOnSuspend: application?.declaration.exitsOnSuspend ?? false)
      if reason == nil || running.underWay?.request != reason {
        // Launched for nothing, or with what its launch methods have dealt with.
        let activates = comesToFront ?? reason?.activates ?? true
        show(stage.delivering(to: running.instance, activates: activates))
        show(stage.delivered(to: running.instance))
      }
    }
    for effect in effects {
      switch effect {
      case .deliver(let request, let instance):
        show(stage.delivering(to: instance, activates: request.activates))
      case .stop(let instance), .forget(let instance): stage.left(instance)
      case .launch, .answerCheckIn, .disarmWatchdog, .succeed, .fail, .stage: break
      }
      shown.append(effect)
    }
    return shown
  }

  /// An application has been in the background for the time of the settings.
  package mutating func suspensionDue(_ instance: InstanceID) -> [Effect] {
    stage.suspensionDue(instance).flatMap { effect in
      if case .retire = effect { return handle(.retired(instance), of: instance) }
      return [.stage(effect)]
    }
  }

  /// Before the daemon ends.
  package mutating func resumeAll() -> [Effect] { stage.resumeAll().map(Effect.stage) }

  /// The state in the words of R5.1, with `launching` and `ending` for what comes before and after.
  package func stateName(of state: HandlerLifecycle.State) -> String {
    state.instance.flatMap(stage.visibility)?.rawValue ?? state.name
  }
}

// MARK: - Check-in

extension Dispatcher {
  package enum CheckInRefusal: Error, Hashable, Sendable {
    case notRegistered(String)
    case notPermitted(String)
    case alreadyRunning(InstanceID)
  }

  /// What a process that comes back says of itself.
  package struct Return: Hashable, Sendable {
    package var remembers: Bool
    /// It was the one in front.
    package var wasActive: Bool

    package init(remembers: Bool, wasActive: Bool) {
      self.remembers = remembers
      self.wasActive = wasActive
    }
  }

  /// A process served the daemon before this one: wait for it instead of starting another.
  /// - Returns: nil when the application is not registered any more, or something is there already.
  package mutating func expect(
    _ identifier: BundleIdentifier, seat number: Int, isOurs: Bool
  ) -> InstanceID? {
    guard let application = registry.application(identifier) else { return nil }
    let seat = Seat(identifier, number: number)
    guard !takenSeats(of: identifier).contains(seat) else { return nil }
    lastExtraSeat = max(lastExtraSeat, number)
    _ = handle(.ranBefore(isOurs: isOurs), at: seat, of: application)
    return lifecycle(at: seat)?.state.instance
  }

  /// It served the daemon before this one, and has not checked in again.
  package func isExpectedBack(_ instance: InstanceID) -> Bool {
    guard case .launching(let launching) = lifecycle(at: instance.seat)?.state else { return false }
    return launching.instance == instance && launching.phase == .awaitingReturn
  }

  private mutating func returned(_ instance: InstanceID, _ manner: Return) -> [Effect] {
    comesToFront = manner.wasActive && stage.active == nil
    defer { comesToFront = nil }
    return handle(.returned(instance, remembers: manner.remembers), of: instance)
  }

  /// A check-in that `CheckInRule` believes: which process it is, and what follows.
  /// - Parameter manner: how a process comes back that has been launched already; nil for a launch.
  package mutating func checkIn(
    _ decision: CheckInRule.Decision, comingBack manner: Return? = nil
  ) throws(CheckInRefusal) -> (InstanceID, [Effect]) {
    switch decision {
    case .refused(let why): throw .notPermitted(why)
    case .expected(let instance):
      guard case .launching(let launching) = lifecycle(at: instance.seat)?.state,
        launching.instance == instance, launching.phase != .awaitingFinish
      else {
        guard let running = lifecycle(at: instance.seat)?.state.instance,
          running == instance || !isUnclaimed(instance.seat)
        else { throw .notPermitted("the launch this check-in belongs to is over") }
        throw .alreadyRunning(running)
      }
      guard launching.phase == .awaitingReturn, let manner else {
        return (instance, handle(.checkedIn(instance), of: instance))
      }
      return (instance, returned(instance, manner))
    case .cameByItself(let identifier):
      guard let application = registry.application(identifier) else {
        throw .notRegistered(
          "no application \(identifier) is registered; register it with: lsregister add PATH")
      }
      var seat = Seat(identifier)
      if let running = takenSeats(of: identifier).first, !isUnclaimed(running) {
        guard application.declaration.platform == .macOS,
          !application.declaration.prohibitsMultipleInstances
        else {
          throw .alreadyRunning(lifecycle(at: running)?.state.instance ?? .init(seat, ordinal: 0))
        }
        seat = extraSeat(of: identifier)
      }
      comesToFront = manner.map { $0.wasActive && stage.active == nil }
      defer { comesToFront = nil }
      let effects = handle(
        .checkedInByItself(remembers: manner?.remembers), at: seat, of: application)
      guard let instance = lifecycle(at: seat)?.state.instance else {
        throw .notPermitted("\(identifier) cannot check in now")
      }
      return (instance, effects)
    }
  }
}

// MARK: - Questions

extension Dispatcher {
  /// The processes of an application, the main one first.
  package func states(of identifier: BundleIdentifier) -> [HandlerLifecycle.State] {
    takenSeats(of: identifier).compactMap { lifecycle(at: $0)?.state }
  }

  /// The processes of all applications, ordered by identifier.
  package var runningApplications: [HandlerLifecycle.State] {
    lifecycles.keys.sorted { $0.text < $1.text }.flatMap(states)
  }

  /// Requests that have no fate yet, oldest first.
  package var pendingRequests: [RequestID] { seats.keys.sorted() }
}

/// `sourceApplication` (R5.23): the opener's identifier if opener and receiver are of one team,
/// otherwise nil.
package func sourceApplication(
  opener: InstalledApplication?, receiver: InstalledApplication
) -> BundleIdentifier? {
  guard let opener else { return nil }
  if opener.identifier == receiver.identifier { return opener.identifier }
  guard let team = opener.declaration.team, team == receiver.declaration.team else { return nil }
  return opener.identifier
}
