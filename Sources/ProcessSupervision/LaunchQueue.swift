internal import LaunchRules

/// The launches that wait for a launch slot.
struct LaunchQueue {
  private var slots: LaunchSlots
  private var waiting: [InstanceID: () -> Void] = [:]

  init(limit: Int) { slots = LaunchSlots(limit: limit) }

  /// Returns true when the launch may begin now. Otherwise `end` returns `begin` when its turn comes.
  /// - Parameter caller: whose share of the slots the launch takes; nil when nobody asked for it.
  mutating func add(
    _ instance: InstanceID, for caller: String?, _ begin: @escaping () -> Void
  ) -> Bool {
    if slots.begin(instance, for: caller) { return true }
    waiting[instance] = begin
    return false
  }

  /// A launch is over, whether or not it succeeded.
  /// - Returns: the launches that are next.
  mutating func end(_ instance: InstanceID) -> [() -> Void] {
    waiting[instance] = nil
    return slots.ended(instance).compactMap { waiting.removeValue(forKey: $0) }
  }
}
