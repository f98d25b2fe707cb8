/// How many processes are launched at once. Each further launch waits its turn: a storm of opens for
/// many applications makes each of them late, never refused. One application has at most a quarter of
/// the places, and what waits for one of those keeps no other application waiting.
package struct LaunchSlots: Sendable {
  private let limit: Int
  private let limitPerApplication: Int
  private var running: Set<InstanceID> = []
  private var counts: [BundleIdentifier: Int] = [:]
  /// Oldest first.
  private var waiting: [InstanceID] = []

  /// - Parameter limit: from 1.
  package init(limit: Int) {
    self.limit = limit
    limitPerApplication = max(1, limit / 4)
  }

  /// True when the launch may begin now; else `ended` gives it back in its turn.
  package mutating func begin(_ instance: InstanceID) -> Bool {
    guard hasRoom(for: instance) else {
      waiting.append(instance)
      return false
    }
    take(instance)
    return true
  }

  /// A launch is over, well or not.
  /// - Returns: the one that may begin now. There is at most one: a place that only one application
  ///   could not have is free already.
  package mutating func ended(_ instance: InstanceID) -> InstanceID? {
    guard running.remove(instance) != nil else {
      waiting.removeAll { $0 == instance }
      return nil
    }
    let application = instance.slot.application
    counts[application] = counts[application].flatMap { $0 > 1 ? $0 - 1 : nil }
    guard let index = waiting.firstIndex(where: hasRoom) else { return nil }
    let next = waiting.remove(at: index)
    take(next)
    return next
  }

  private func hasRoom(for instance: InstanceID) -> Bool {
    running.count < limit && counts[instance.slot.application, default: 0] < limitPerApplication
  }

  private mutating func take(_ instance: InstanceID) {
    running.insert(instance)
    counts[instance.slot.application, default: 0] += 1
  }
}
