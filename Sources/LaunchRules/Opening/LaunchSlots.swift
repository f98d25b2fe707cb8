/// How many processes are launched at once. Each further launch waits its turn: a storm of opens for
/// many applications makes each of them late, never refused. One application has at most a quarter of
/// the places, and what waits for one of those keeps no other application waiting. The last quarter of the places is
/// for callers that have none, so that no caller makes all others wait.
package struct LaunchSlots: Sendable {
  private let limit: Int
  private let limitPerApplication: Int
  /// The places that callers may have which have one already.
  private let limitOfShared: Int
  /// With the callers that they are launched for, where that is known.
  private var running: [InstanceID: String?] = [:]
  private var callerCounts: [String: Int] = [:]
  private var counts: [BundleIdentifier: Int] = [:]
  /// Oldest first.
  private var waiting: [(instance: InstanceID, caller: String?)] = []

  /// - Parameter limit: from 1.
  package init(limit: Int) {
    self.limit = limit
    limitPerApplication = max(1, limit / 4)
    limitOfShared = limit - limit / 4
  }

  /// True when the launch may begin now; else `ended` gives it back in its turn.
  /// - Parameter caller: whose share of the places it takes; nil when nobody asked for it.
  package mutating func begin(_ instance: InstanceID, for caller: String? = nil) -> Bool {
    guard hasRoom(for: instance, caller) else {
      waiting.append((instance, caller))
      return false
    }
    take(instance, caller)
    return true
  }

  /// A launch is over, well or not.
  /// - Returns: those that may begin now, oldest first.
  package mutating func ended(_ instance: InstanceID) -> [InstanceID] {
    guard let caller = running.removeValue(forKey: instance) else {
      waiting.removeAll { $0.instance == instance }
      return []
    }
    let application = instance.slot.application
    counts[application] = counts[application].flatMap { $0 > 1 ? $0 - 1 : nil }
    if let caller { callerCounts[caller] = callerCounts[caller].flatMap { $0 > 1 ? $0 - 1 : nil } }
    var begun: [InstanceID] = []
    while let index = waiting.firstIndex(where: { hasRoom(for: $0.instance, $0.caller) }) {
      let next = waiting.remove(at: index)
      take(next.instance, next.caller)
      begun.append(next.instance)
    }
    return begun
  }

  private func hasRoom(for instance: InstanceID, _ caller: String?) -> Bool {
    let hasNone = caller.map { callerCounts[$0] == nil } ?? true
    return running.count < (hasNone ? limit : limitOfShared)
      && counts[instance.slot.application, default: 0] < limitPerApplication
  }

  private mutating func take(_ instance: InstanceID, _ caller: String?) {
    running[instance] = .some(caller)
    counts[instance.slot.application, default: 0] += 1
    if let caller { callerCounts[caller, default: 0] += 1 }
  }
}
