internal import LaunchRules

/// The launches that wait for a launch slot.
struct LaunchQueue {
  private var slots: LaunchSlots
  private var waiting: [InstanceID: () -> Void] = [:]

  init(limit: Int) { slots = LaunchSlots(limit: limit) }

  /// Returns true when the launch may begin now. Otherwise a later `end` returns `begin`.
  /// - Parameter caller: the caller that uses its share of the slots; nil when no caller requested the
  ///   launch.
  mutating func add(
    _ instance: InstanceID, for caller: CallerShare?, _ begin: @escaping () -> Void
  ) -> Bool {
    if slots.begin(instance, for: caller) { return true }
    waiting[instance] = begin
    return false
  }

  /// Ends a launch, successful or not.
  /// - Returns: the launches that may begin now.
  mutating func end(_ instance: InstanceID) -> [() -> Void] {
    waiting[instance] = nil
    return slots.ended(instance).compactMap { waiting.removeValue(forKey: $0) }
  }
}
