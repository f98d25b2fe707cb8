/// Which application is in front, and what becomes of the others (R5.1, R5.3, R5.35).
///
/// Pure, and beside the lifecycles: they decide what is delivered, this decides who is seen. Only
/// instances that have finished launching count.
package struct Foreground: Hashable, Sendable {
  package enum Visibility: String, Hashable, Sendable {
    /// In front, but not yet or no longer in charge.
    case inactive
    case active
    case background
    /// In memory, executing nothing.
    case suspended
  }

  package enum Effect: Hashable, Sendable {
    /// Tell the application.
    case show(InstanceID, Visibility)
    /// Call `suspensionDue` when the time of the settings has passed.
    case awaitSuspension(InstanceID)
    /// Stop its whole process group.
    case suspend(InstanceID)
    case resume(InstanceID)
    /// End it, as it wants to be ended instead of suspended (R1.38).
    case retire(InstanceID)
  }

  private struct Place: Hashable, Sendable {
    var visibility = Visibility.inactive
    var isBusy = false
    var maySuspend: Bool
    var exitsOnSuspend: Bool
  }

  /// The one in front.
  package private(set) var active: InstanceID?
  private var places: [InstanceID: Place] = [:]

  package init() {}

  /// Nil for an instance that has not finished launching.
  package func visibility(of instance: InstanceID) -> Visibility? { places[instance]?.visibility }

  /// It has finished launching.
  /// - Parameter maySuspend: False for a process that the daemon did not start: the group it belongs
  ///   to may be somebody else's.
  package mutating func launched(_ instance: InstanceID, maySuspend: Bool, exitsOnSuspend: Bool) {
    places[instance] = Place(maySuspend: maySuspend, exitsOnSuspend: exitsOnSuspend)
  }

  /// Something is about to be delivered: it comes to the foreground first (R5.3).
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

  /// The delivery is over.
  package mutating func delivered(to instance: InstanceID) -> [Effect] {
    guard var place = places[instance], place.isBusy else { return [] }
    place.isBusy = false
    defer { places[instance] = place }
    if active == instance {
      guard place.visibility != .active else { return [] }
      place.visibility = .active
      return [.show(instance, .active)]
    }
    // Launched without being brought to the front.
    let isNew = place.visibility == .inactive
    place.visibility = .background
    return (isNew ? [.show(instance, .background)] : []) + suspension(of: instance, place)
  }

  /// It has been in the background for the time of the settings.
  package mutating func suspensionDue(_ instance: InstanceID) -> [Effect] {
    guard let place = places[instance], place.visibility == .background, !place.isBusy else {
      return []
    }
    if place.exitsOnSuspend { return [.retire(instance)] }
    places[instance]?.visibility = .suspended
    return [.suspend(instance)]
  }

  /// The process has gone or is to go.
  package mutating func left(_ instance: InstanceID) {
    places[instance] = nil
    if active == instance { active = nil }
  }

  /// Nobody would resume them any more.
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
