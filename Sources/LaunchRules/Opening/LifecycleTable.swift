/// The lifecycles of all applications.
///
/// A pure state machine with events and effects. The registry is a parameter of the methods that need it.
package struct LifecycleTable: Sendable {
  package typealias Event = HandlerLifecycle.Event
  package typealias Effect = HandlerLifecycle.Effect

  /// Maximum number of processes of one application, and of processes that one caller has started with
  /// `new-instance`.
  private let instanceLimit: Int
  var lifecycles: [BundleIdentifier: [InstanceSlot: HandlerLifecycle]] = [:]
  /// The slots of requests without a result.
  private var slots: [RequestID: InstanceSlot] = [:]
  /// The callers whose opens with `new-instance` started the processes of these slots.
  private var starters: [InstanceSlot: Starter] = [:]
  var lastExtraSlot = 0
  var foreground = Foreground()
  /// Set while a process returns: whether it returns as the active application.
  var comesToFront: Bool?

  package init(instanceLimit: Int) { self.instanceLimit = instanceLimit }
}

// MARK: - Opening

extension LifecycleTable {
  /// An open with the option `new-instance` (R5.33).
  package struct NewInstance: Sendable {
    fileprivate var starter: Starter
    /// The slots whose processes may receive the open instead of a new one.
    var known: [InstanceSlot]

    /// - Parameters:
    ///   - share: the caller of the open.
    ///   - groups: the groups that the caller belongs to, outermost first.
    package init(
      of share: LoadOwner, in groups: [LoadOwner] = [], orAmong known: [InstanceSlot] = []
    ) {
      starter = Starter(share: share, groups: groups)
      self.known = known
    }
  }

  fileprivate struct Starter: Sendable {
    var share: LoadOwner
    var groups: [LoadOwner]
  }

  /// - Parameter newInstance: nil for an open without this option.
  package mutating func open(
    _ request: OpenRequest, with application: InstalledApplication, newInstance: NewInstance? = nil
  ) throws(OpenFailure) -> [Effect] {
    let slot =
      try self.slot(for: application, newInstance) ?? extraSlot(of: application.identifier)
    slots[request.id] = slot
    if let newInstance, lifecycle(at: slot)?.state.isTaken != true {
      starters[slot] = newInstance.starter
    }
    return handle(.openRequested(request), at: slot, of: application)
  }

  /// Throws what `open` would throw now.
  /// - Returns: whether the open would start a process.
  package func check(
    _ newInstance: NewInstance?, of application: InstalledApplication
  ) throws(OpenFailure) -> Bool {
    try slot(for: application, newInstance).map { lifecycle(at: $0)?.state.isTaken != true } ?? true
  }

  /// - Returns: nil for a new extra slot.
  private func slot(
    for application: InstalledApplication, _ newInstance: NewInstance?
  ) throws(OpenFailure) -> InstanceSlot? {
    let mainSlot = InstanceSlot(application.identifier)
    guard let newInstance else {
      if lifecycle(at: mainSlot)?.state.isTaken == true { return mainSlot }
      return takenSlots(of: application.identifier).first ?? mainSlot
    }
    let taken = takenSlots(of: application.identifier)
    if let slot = newInstance.known.first(where: taken.contains) { return slot }
    if !taken.isEmpty { try checkSecondProcess(of: application, besides: taken.count) }
    try checkStarted(by: newInstance.starter)
    return taken.isEmpty ? mainSlot : nil
  }

  /// The extra instances that a group of callers may start beyond the limit of one caller. One of them is left to others at
  /// each level of the groups.
  private static let extraOfGroups = 64

  private func checkStarted(by starter: Starter) throws(OpenFailure) {
    let started = starters.values.count { $0.share == starter.share }
    guard started < instanceLimit else {
      throw .limitExceeded(
        "\(started) extra instances started by this caller are running, which is the limit"
          + " MaximumInstances of the settings: end some of these instances, or open without the"
          + " option new-instance")
    }
    let ofGroups = starter.groups.map { group in
      starters.values.count { $0.groups.contains(group) }
    }
    let full = NestedShares.full(
      to: ofGroups, all: ofGroups.first ?? 0, most: instanceLimit + Self.extraOfGroups
    ) { free in max(instanceLimit, free - 1) }
    if let full {
      throw .limitExceeded(
        "\(full.used) extra instances started by this caller and by others of one application, unit or parent process"
          + " are running, and together they may have \(full.places), because of the limit MaximumInstances of the"
          + " settings: end some of these instances, or open without the option new-instance")
    }
  }

  /// Whether one more process of an application that runs may be started.
  private func checkSecondProcess(
    of application: InstalledApplication, besides count: Int
  ) throws(OpenFailure) {
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
    guard count < instanceLimit else {
      throw .limitExceeded(
        "\(count) processes of \(application.identifier) run already, which is the limit"
          + " MaximumInstances of the settings: end some of these instances, or open without the"
          + " option new-instance")
    }
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
    let isTaken = lifecycle.state.isTaken
    if !isTaken, !starters.isEmpty { starters[slot] = nil }
    // An extra slot is removed with its process. Its number is not reused.
    lifecycles[slot.application, default: [:]][slot] =
      isTaken || slot.number == 0 ? lifecycle : nil
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
