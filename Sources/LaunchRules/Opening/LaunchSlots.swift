/// How many processes are launched at once. Each further launch waits its turn: a storm of opens for
/// many applications makes each of them late, never refused.
package struct LaunchSlots: Sendable {
  private let limit: Int
  private var running: Set<InstanceID> = []
  /// Oldest first.
  private var waiting: [InstanceID] = []

  package init(limit: Int) { self.limit = limit }

  /// True when the launch may begin now; else `ended` gives it back in its turn.
  package mutating func begin(_ instance: InstanceID) -> Bool {
    guard running.count < limit else {
      waiting.append(instance)
      return false
    }
    running.insert(instance)
    return true
  }

  /// A launch is over, well or not.
  /// - Returns: the one that may begin now.
  package mutating func ended(_ instance: InstanceID) -> InstanceID? {
    guard running.remove(instance) != nil else {
      waiting.removeAll { $0 == instance }
      return nil
    }
    guard !waiting.isEmpty else { return nil }
    let next = waiting.removeFirst()
    running.insert(next)
    return next
  }
}
