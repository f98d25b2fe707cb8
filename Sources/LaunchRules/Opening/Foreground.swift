/// Decides which application is active, and what happens to the others (R5.1, R5.3, R5.35).
///
/// A pure state machine, separate from the lifecycles: they decide about deliveries, this type about
/// visibility. Only instances that have finished launching are included.
package struct Foreground: Hashable, Sendable {
  package enum Visibility: String, Hashable, Sendable {
    /// In the foreground, but not receiving events.
    case inactive
    case active
    case background
    /// In memory without executing code.
    case suspended
  }

  package enum Effect: Hashable, Sendable {
    /// Send the new state to the application.
    case show(InstanceID, Visibility)
    /// Call `suspensionDue` after the suspension delay of the settings.
    case awaitSuspension(InstanceID)
    /// Suspend the whole process group.
    case suspend(InstanceID)
    case resume(InstanceID)
    /// End an application that declares to be ended instead of suspended (R1.38).
    case retire(InstanceID)
  }

  private struct Place: Hashable, Sendable {
    var visibility = Visibility.inactive
    var isBusy = false
    var maySuspend: Bool
    var exitsOnSuspend: Bool
  }

  /// The active instance.
  package private(set) var active: InstanceID?
  private var places: [InstanceID: Place] = [:]

  package init() {}

  /// Nil for an instance that has not finished launching.
  package func visibility(of instance: InstanceID) -> Visibility? { places[instance]?.visibility }

  /// Adds an instance that has finished launching.
  /// - Parameter maySuspend: false for a process that the daemon did not start, because its process group may
  ///   contain other processes.
  package mutating func launched(_ instance: InstanceID, maySuspend: Bool, exitsOnSuspend: Bool) {
    places[instance] = Place(maySuspend: maySuspend, exitsOnSuspend: exitsOnSuspend)
  }

  /// Brings an instance to the foreground before a delivery (R5.3).
  package mutating func delivering(to instance: InstanceID, activates: Bool) -> [Effect] {
    guard var place = places[instance] else { return [] }
    var effects: [Effect] = []
    place.isBusy = true
    if place.visibility == .suspended {
      place.visibility = .background
      effects.append(.resume(instance))
    }
    if activates, active != instance {
      if let active { effects += sendBack(active) }
      active = instance
    }
    if activates, place.visibility == .background {
      place.visibility = .inactive
      effects.append(.show(instance, .inactive))
    }
    places[instance] = place
    return effects
  }

  /// Updates the state after a delivery.
  package mutating func delivered(to instance: InstanceID) -> [Effect] {
    guard var place = places[instance], place.isBusy else { return [] }
    place.isBusy = false
    defer { places[instance] = place }
    if active == instance {
      guard place.visibility != .active else { return [] }
      place.visibility = .active
      return [.show(instance, .active)]
    }
    // The instance was launched without activation.
    let isNew = place.visibility == .inactive
    place.visibility = .background
    return (isNew ? [.show(instance, .background)] : []) + suspension(of: instance, place)
  }

  /// Handles the end of the suspension delay of an instance in the background.
  package mutating func suspensionDue(_ instance: InstanceID) -> [Effect] {
    guard let place = places[instance], place.visibility == .background, !place.isBusy else {
      return []
    }
    if place.exitsOnSuspend { return [.retire(instance)] }
    places[instance]?.visibility = .suspended
    return [.suspend(instance)]
  }

  /// Removes an instance that has ended or is about to end.
  package mutating func left(_ instance: InstanceID) {
    places[instance] = nil
    if active == instance { active = nil }
  }

  /// Resumes all suspended instances before the daemon ends.
  package mutating func resumeAll() -> [Effect] {
    let suspended = places.filter { $0.value.visibility == .suspended }.keys
    for instance in suspended { places[instance]?.visibility = .background }
    return suspended.map(Effect.resume)
  }

  private mutating func sendBack(_ instance: InstanceID) -> [Effect] {
    guard var place = places[instance] else { return [] }
    place.visibility = .background
    places[instance] = place
    return [.show(instance, .inactive), .show(instance, .background)]
      + (place.isBusy ? [] : suspension(of: instance, place))
  }

  private func suspension(of instance: InstanceID, _ place: Place) -> [Effect] {
    place.maySuspend ? [.awaitSuspension(instance)] : []
  }
}
