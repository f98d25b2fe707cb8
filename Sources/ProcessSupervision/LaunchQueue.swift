internal import Host
internal import LaunchRules

/// The launches that wait for a launch slot.
///
/// The slots limit the work of the machine, so a launch gives up its slot after some time: a program that hangs does
/// no work, and must not delay others until its launch times out.
final class LaunchQueue {
  private var slots: LaunchSlots
  private let longest: Duration
  private var waiting: [InstanceID: () -> Void] = [:]
  private var expiries: [InstanceID: Deadline] = [:]

  /// - Parameters:
  ///   - limit: number of slots.
  ///   - longest: the time after which a launch gives up its slot.
  init(limit: Int, longest: Duration) {
    slots = LaunchSlots(limit: limit)
    self.longest = longest
  }

  /// Calls `begin` when a slot is free, possibly at once.
  /// - Parameters:
  ///   - caller: the caller that uses its share of the slots; nil when no caller requested the launch.
  ///   - groups: the groups that the caller belongs to.
  func add(
    _ instance: InstanceID, for caller: LoadOwner?, in groups: [LoadOwner],
    _ begin: @escaping () -> Void
  ) {
    guard slots.begin(instance, for: caller, in: groups) else {
      waiting[instance] = begin
      return
    }
    self.begin(instance, begin)
  }

  /// Ends a launch, successful or not.
  func end(_ instance: InstanceID) {
    waiting[instance] = nil
    free(instance)
  }

  private func free(_ instance: InstanceID) {
    expiries[instance] = nil
    for next in slots.ended(instance) {
      if let begin = waiting.removeValue(forKey: next) { self.begin(next, begin) }
    }
  }

  private func begin(_ instance: InstanceID, _ begin: () -> Void) {
    expiries[instance] = Deadline(after: longest) { [weak self] in self?.free(instance) }
    begin()
  }
}
