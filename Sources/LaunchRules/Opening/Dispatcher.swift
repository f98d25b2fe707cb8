/// Chooses the handler of each open and keeps the life of every application.
///
/// Pure: events in, effects out. It is the one owner of the registry and of all lifecycles.
package struct Dispatcher: Sendable {
  package typealias Event = HandlerLifecycle.Event
  package typealias Effect = HandlerLifecycle.Effect

  package var registry: Registry
  /// How many requests may wait for one application.
  package let queueLimit: Int
  var lifecycles: [BundleIdentifier: [Seat: HandlerLifecycle]] = [:]
  /// Where the requests are that have no fate yet.
  private var seats: [RequestID: Seat] = [:]
  var lastExtraSeat = 0
  var stage = Stage()
  /// Set while a process comes back: whether it does so as the one in front.
  var comesToFront: Bool?

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
    /// Of a web URL; counts for no other (R2.7).
    package var host: WebHost?
    /// The designated handler (R5.28).
    package var designated: BundleIdentifier?

    package init(scheme: URLScheme, host: WebHost? = nil, designated: BundleIdentifier? = nil) {
      self.scheme = scheme
      self.host = host
      self.designated = designated
    }
  }

  /// The application that an open of `target` goes to, in the order of R4.20: the designated one, a
  /// system application by its host, then by the scheme.
  package func choose(_ target: Target) throws(OpenFailure) -> InstalledApplication {
    if let designated = target.designated { return try installed(designated) }
    switch registry.route(target.scheme, host: target.host) {
    case .handler(let candidate): return try installed(candidate.identifier)
    case .notFound:
      let nobody = "no application is registered for the scheme \(target.scheme)"
      guard let missing = registry.missingSystemApplication(for: target.scheme) else {
        throw .applicationNotFound(nobody)
      }
      throw .applicationNotFound(
        "\(missing.name) is not installed, and \(nobody); install \(missing.identifier) or an"
          + " application that claims \(target.scheme)")
    case .ambiguous(let identifiers):
      let names =
        identifiers.prefix(Routing.mostNamed).map(\.text).joined(separator: ", ")
        + (identifiers.count > Routing.mostNamed ? " and others" : "")
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
  /// - Parameter known: with `newInstance`, those that may be used instead of another new one.
  package mutating func open(
    _ request: OpenRequest, with application: InstalledApplication, newInstance: Bool = false,
    orAmong known: [Seat] = []
  ) throws(OpenFailure) -> [Effect] {
    let seat = try self.seat(for: application, newInstance: newInstance, orAmong: known)
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
    for application: InstalledApplication, newInstance: Bool, orAmong known: [Seat]
  ) throws(OpenFailure) -> Seat {
    if !newInstance, let main = lifecycle(at: Seat(application.identifier))?.state, main.isTaken {
      return Seat(application.identifier)
    }
    let taken = takenSeats(of: application.identifier)
    guard let main = taken.first else { return Seat(application.identifier) }
    guard newInstance else { return main }
    if let seat = known.first(where: taken.contains) { return seat }
    guard application.declaration.platform == .macOS else {
      throw .notPermitted(
        "\(application.identifier) runs, and an iOS application has one process only")
    }
    guard !application.declaration.isDBusActivatable else {
      throw .launchFailed(
        "\(application.identifier) runs, and is DBusActivatable: it has one process, the owner of its"
          + " bus name (kLSMultipleSessionsNotSupportedErr, -10829)")
    }
    guard !application.declaration.prohibitsMultipleInstances else {
      throw .launchFailed(
        "\(application.identifier) runs, and its LSMultipleInstancesProhibited forbids a second"
          + " instance (kLSMultipleSessionsNotSupportedErr, -10829)")
    }
    return extraSeat(of: application.identifier)
  }

  mutating func extraSeat(of identifier: BundleIdentifier) -> Seat {
    lastExtraSeat += 1
    return Seat(identifier, number: lastExtraSeat)
  }

  /// The seats with a process, the main one first.
  func takenSeats(of identifier: BundleIdentifier) -> [Seat] {
    (lifecycles[identifier] ?? [:]).filter(\.value.state.isTaken).keys
      .sorted { $0.number < $1.number }
  }

  /// A process was started there and has not checked in, or must go: another may take its place.
  func isUnclaimed(_ seat: Seat) -> Bool {
    switch lifecycle(at: seat)?.state {
    case .launching(let launching): launching.phase != .awaitingFinish
    case .ending: true
    case .running, .notRunning, nil: false
    }
  }

  func lifecycle(at seat: Seat) -> HandlerLifecycle? {
    lifecycles[seat.application]?[seat]
  }

  /// An event of one instance.
  package mutating func handle(_ event: Event, of instance: InstanceID) -> [Effect] {
    handle(event, at: instance.seat)
  }

  package mutating func cancel(_ request: RequestID) -> [Effect] {
    guard let seat = seats[request] else { return [] }
    return handle(.cancelled(request), at: seat)
  }

  /// - Parameter known: the application, where it has been looked up.
  mutating func handle(
    _ event: Event, at seat: Seat, of known: InstalledApplication? = nil
  ) -> [Effect] {
    var lifecycle = lifecycle(at: seat) ?? HandlerLifecycle(seat, style: .delegate)
    // Its declaration counts until it has been launched.
    let application =
      lifecycle.state.isRunning ? nil : known ?? registry.application(seat.application)
    if !lifecycle.state.isTaken, let application {
      lifecycle.style = application.declaration.usesScenes ? .scene : .delegate
    }
    let before = lifecycle.state
    let decided = lifecycle.handle(event)
    let effects = staged(decided, of: event, before, lifecycle.state, application)
    // An extra seat is gone with its process; its number is not used again.
    let isGone = !lifecycle.state.isTaken && seat.number > 0
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
