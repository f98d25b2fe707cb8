// Applications that are known by their bus names instead of a check-in.

extension LifecycleTable {
  /// Handles a process that owns the bus name of an application with `org.freedesktop.Application`.
  /// - Parameter ranBefore: whether the process was not started for the waiting requests.
  /// - Returns: nil when nothing is to be done: the process is known already, or another process serves the
  ///   application.
  package mutating func meet(
    _ decision: CheckInRule.Decision, ranBefore: Bool, in registry: Registry
  ) -> (InstanceID, [Effect])? {
    switch decision {
    case .refused: return nil
    case .expected(let instance):
      guard isUnclaimed(instance.slot), lifecycle(at: instance.slot)?.state.instance == instance,
        case .launching = lifecycle(at: instance.slot)?.state
      else { return nil }
      return (instance, handle(.ownsName(instance), of: instance, in: registry))
    case .cameByItself(let identifier):
      let slot = InstanceSlot(identifier)
      guard let application = registry.application(identifier),
        application.declaration.isDBusActivatable,
        takenSlots(of: identifier).allSatisfy(isUnclaimed)
      else { return nil }
      let effects = handle(.ownsNameByItself(ranBefore: ranBefore), at: slot, of: application)
      return lifecycle(at: slot)?.state.instance.map { ($0, effects) }
    }
  }
}
