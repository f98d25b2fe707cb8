// Check-ins of new processes and of those that served the previous daemon.

extension LifecycleTable {
  package enum CheckInRefusal: Error, Hashable, Sendable {
    case notRegistered(String)
    case notPermitted(String)
    case alreadyRunning(InstanceID)
  }

  /// The state that a returning process reports.
  package struct Return: Hashable, Sendable {
    package var remembers: Bool
    /// Whether it was the active application.
    package var wasActive: Bool

    package init(remembers: Bool, wasActive: Bool) {
      self.remembers = remembers
      self.wasActive = wasActive
    }
  }

  /// Waits for a process that served the previous daemon instead of starting another one.
  /// - Returns: nil when the application is not registered, or the slot has a process.
  package mutating func expect(
    _ identifier: BundleIdentifier, slot number: Int, isOurs: Bool, in registry: Registry
  ) -> InstanceID? {
    guard let application = registry.application(identifier) else { return nil }
    let slot = InstanceSlot(identifier, number: number)
    guard !takenSlots(of: identifier).contains(slot) else { return nil }
    lastExtraSlot = max(lastExtraSlot, number)
    _ = handle(.ranBefore(isOurs: isOurs), at: slot, of: application)
    return lifecycle(at: slot)?.state.instance
  }

  /// Whether the process served the previous daemon and has not checked in again.
  package func isExpectedBack(_ instance: InstanceID) -> Bool {
    guard case .launching(let launching) = lifecycle(at: instance.slot)?.state else { return false }
    return launching.instance == instance && launching.phase == .awaitingReturn
  }

  private mutating func returned(
    _ instance: InstanceID, _ manner: Return, in registry: Registry
  ) -> [Effect] {
    comesToFront = manner.wasActive && foreground.active == nil
    defer { comesToFront = nil }
    return handle(.returned(instance, remembers: manner.remembers), of: instance, in: registry)
  }

  /// Handles a check-in that `CheckInRule` accepted. Returns the instance and the effects.
  /// - Parameters:
  ///   - manner: the state of a returning process; nil for a launch.
  ///   - takesConnectionOptions: whether the process supports scenes.
  package mutating func checkIn(
    _ decision: CheckInRule.Decision, comingBack manner: Return? = nil,
    takesConnectionOptions: Bool = true, in registry: Registry
  ) throws(CheckInRefusal) -> (InstanceID, [Effect]) {
    switch decision {
    case .refused(let why): throw .notPermitted(why)
    case .expected(let instance):
      guard case .launching(let launching) = lifecycle(at: instance.slot)?.state,
        launching.instance == instance, launching.phase != .awaitingFinish
      else {
        guard let running = lifecycle(at: instance.slot)?.state.instance,
          running == instance || !isUnclaimed(instance.slot)
        else { throw .notPermitted("the launch this check-in belongs to is over") }
        throw .alreadyRunning(running)
      }
      guard launching.phase == .awaitingReturn, let manner else {
        return (
          instance,
          handle(
            .checkedIn(instance, takesConnectionOptions: takesConnectionOptions), of: instance,
            in: registry)
        )
      }
      return (instance, returned(instance, manner, in: registry))
    case .cameByItself(let identifier):
      guard let application = registry.application(identifier) else {
        throw .notRegistered(
          "\(OpenFailure.notRegistered(identifier).sentence); register it with: lsregister add PATH"
        )
      }
      var slot = InstanceSlot(identifier)
      if let running = takenSlots(of: identifier).first, !isUnclaimed(running) {
        guard application.declaration.platform == .macOS,
          !application.declaration.prohibitsMultipleInstances
        else {
          throw .alreadyRunning(lifecycle(at: running)?.state.instance ?? .init(slot, ordinal: 0))
        }
        slot = extraSlot(of: identifier)
      }
      comesToFront = manner.map { $0.wasActive && foreground.active == nil }
      defer { comesToFront = nil }
      let effects = handle(
        .checkedInByItself(
          remembers: manner?.remembers, takesConnectionOptions: takesConnectionOptions),
        at: slot, of: application)
      guard let instance = lifecycle(at: slot)?.state.instance else {
        throw .notPermitted("\(identifier) cannot check in now")
      }
      return (instance, effects)
    }
  }
}
