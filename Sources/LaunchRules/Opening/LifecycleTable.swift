/// The lifecycles of all applications.
///
/// A pure state machine with events and effects. The registry is a parameter of the methods that need it.
package struct LifecycleTable: Sendable {
  package typealias Event = HandlerLifecycle.Event
  package typealias Effect = HandlerLifecycle.Effect

  /// Maximum number of requests that wait for one application.
  package let queueLimit: Int
  /// Maximum number of processes of one application.
  package let instanceLimit: Int
  var lifecycles: [BundleIdentifier: [InstanceSlot: HandlerLifecycle]] = [:]
  /// The slots of requests without a result.
  private var slots: [RequestID: InstanceSlot] = [:]
  var lastExtraSlot = 0
  var foreground = Foreground()
  /// Set while a process returns: whether it returns as the active application.
  var comesToFront: Bool?

  package init(queueLimit: Int = 1000, instanceLimit: Int = 32) {
    self.queueLimit = queueLimit
    self.instanceLimit = instanceLimit
  }
}

// MARK: - Opening

extension LifecycleTable {
  /// - Parameter known: with `newInstance`, the slots that may be used instead of a new one.
  package mutating func open(
    _ request: OpenRequest, with application: InstalledApplication, newInstance: Bool = false,
    orAmong known: [InstanceSlot] = []
  ) throws(OpenFailure) -> [Effect] {
    let slot = try self.slot(for: application, newInstance: newInstance, orAmong: known)
    let load = lifecycle(at: slot)?.state.load ?? 0
    guard load < queueLimit else {
      throw .limitExceeded(
        "\(queueLimit) opens wait for \(application.identifier) already, which is the limit"
          + " MaximumQueueLength of the settings")
    }
    slots[request.id] = slot
    return handle(.openRequested(request), at: slot, of: application)
  }

  private mutating func slot(
    for application: InstalledApplication, newInstance: Bool, orAmong known: [InstanceSlot]
  ) throws(OpenFailure) -> InstanceSlot {
    if !newInstance, let main = lifecycle(at: InstanceSlot(application.identifier))?.state,
      main.isTaken
    {
      return InstanceSlot(application.identifier)
    }
    let taken = takenSlots(of: application.identifier)
    guard let main = taken.first else { return InstanceSlot(application.identifier) }
    guard newInstance else { return main }
    if let slot = known.first(where: taken.contains) { return slot }
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
    guard taken.count < instanceLimit else {
      throw .limitExceeded(
        "\(taken.count) processes of \(application.identifier) run already, which is the limit"
          + " MaximumInstances of the settings: end some of these instances, or open without the"
          + " option new-instance")
    }
    return extraSlot(of: application.identifier)
  }

  mutating func extraSlot(of identifier: BundleIdentifier) -> InstanceSlot {
    lastExtraSlot += 1
    return InstanceSlot(identifier, number: lastExtraSlot)
  }

  /// The slots with a process, main slot first.
  func takenSlots(of identifier: BundleIdentifier) -> [InstanceSlot] {
    (lifecycles[identifier] ?? [:]).filter(\.value.state.isTaken).keys
      .sorted { $0.number < $1.number }
  }

  /// Whether the process of the slot has not checked in, or is being ended, so that another process may
  /// replace it.
  func isUnclaimed(_ slot: InstanceSlot) -> Bool {
    switch lifecycle(at: slot)?.state {
    case .launching(let launching): launching.phase != .awaitingFinish
    case .ending: true
    case .running, .notRunning, nil: false
    }
  }

  func lifecycle(at slot: InstanceSlot) -> HandlerLifecycle? {
    lifecycles[slot.application]?[slot]
  }

  /// Handles an event of an instance.
  package mutating func handle(
    _ event: Event, of instance: InstanceID, in registry: Registry
  ) -> [Effect] {
    handle(event, at: instance.slot, of: application(at: instance.slot, in: registry))
  }

  package mutating func cancel(_ request: RequestID, in registry: Registry) -> [Effect] {
    guard let slot = slots[request] else { return [] }
    return handle(.cancelled(request), at: slot, of: application(at: slot, in: registry))
  }

  /// The application with its declaration, which is used until the launch has finished.
  private func application(at slot: InstanceSlot, in registry: Registry) -> InstalledApplication? {
    lifecycle(at: slot)?.state.isRunning == true ? nil : registry.application(slot.application)
  }

  /// - Parameter known: the registered application; ignored while a process runs.
  mutating func handle(
    _ event: Event, at slot: InstanceSlot, of known: InstalledApplication?
  ) -> [Effect] {
    var lifecycle = lifecycle(at: slot) ?? HandlerLifecycle(slot, style: .delegate)
    let application = lifecycle.state.isRunning ? nil : known
    if !lifecycle.state.isTaken, let application {
      lifecycle.style = application.declaration.usesScenes ? .scene : .delegate
    }
    let before = lifecycle.state
    let decided = lifecycle.handle(event)
    let effects = addingForeground(to: decided, of: event, before, lifecycle.state, application)
    // An extra slot is removed with its process. Its number is not reused.
    let isGone = !lifecycle.state.isTaken && slot.number > 0
    lifecycles[slot.application, default: [:]][slot] = isGone ? nil : lifecycle
    for effect in effects {
      switch effect {
      case .succeed(let id, _), .fail(let id, _): slots[id] = nil
      case .launch, .answerCheckIn, .disarmWatchdog, .deliver, .stop, .forget, .foreground: break
      }
    }
    return effects
  }
}

// MARK: - Queries

extension LifecycleTable {
  /// The processes of an application, main slot first.
  package func states(of identifier: BundleIdentifier) -> [HandlerLifecycle.State] {
    takenSlots(of: identifier).compactMap { lifecycle(at: $0)?.state }
  }

  /// What happens to the next open of the application, by the state of its main process.
  package enum Reception: Hashable, Sendable {
    /// A process is started.
    case launch
    /// A process is started when the current process, which is being ended, has ended.
    case launchAfterEnd
    /// The process is being started; the open waits until the process has finished launching.
    case waitForLaunch
    /// The process runs, and gets the open.
    case delivery
  }

  package func reception(of identifier: BundleIdentifier) -> Reception {
    switch states(of: identifier).first {
    case nil, .notRunning: .launch
    case .ending: .launchAfterEnd
    case .launching: .waitForLaunch
    case .running: .delivery
    }
  }

  /// Whether the process runs or is being started.
  package func has(_ instance: InstanceID) -> Bool {
    lifecycle(at: instance.slot)?.state.instance == instance
  }

  /// The processes of all applications, sorted by identifier.
  package var runningApplications: [HandlerLifecycle.State] {
    lifecycles.keys.sorted { $0.text < $1.text }.flatMap(states)
  }
}
