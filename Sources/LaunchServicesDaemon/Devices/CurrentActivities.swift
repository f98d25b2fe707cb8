internal import BusContract
internal import DBus
internal import LaunchRules

/// The activities that running applications have offered, at most one for each process.
final class CurrentActivities {
  private var activities: [InstanceID: CurrentActivity] = [:]
  /// The processes with an activity, the newest activity last.
  private var order: [InstanceID] = []

  /// - Parameter activity: nil when the process has no current activity.
  func set(_ activity: CurrentActivity?, of instance: InstanceID) {
    guard activity != nil || activities[instance] != nil else { return }
    order.removeAll { $0 == instance }
    activities[instance] = activity
    if activity != nil { order.append(instance) }
  }

  /// The newest activity of each process, as CurrentActivities returns them.
  var descriptions: [Options] {
    order.reversed().compactMap { instance in
      activities[instance]?.dictionary.merging([
        Key.bundleIdentifier: .string(instance.slot.application.text)
      ]) { $1 }
    }
  }
}
