/// Limits the number of concurrent launches. Further launches wait, so that many opens for many applications
/// are delayed but not refused. One application has at most a quarter of the places, and its waiting launches
/// do not block other applications. The last quarter of the places is reserved for callers without a place,
/// so that no caller blocks all others.
package struct LaunchSlots: Sendable {
  private let limit: Int
  private let limitPerApplication: Int
  /// The places available to callers that already have one.
  private let limitOfShared: Int
  /// The running launches with their callers, where known.
  private var running: [InstanceID: CallerShare?] = [:]
  private var callerCounts: [CallerShare: Int] = [:]
  private var counts: [BundleIdentifier: Int] = [:]
  /// The waiting launches, oldest first.
  private var waiting: [(instance: InstanceID, caller: CallerShare?)] = []

  /// - Parameter limit: number of places, at least 1.
  package init(limit: Int) {
    self.limit = limit
    limitPerApplication = max(1, limit / 4)
    limitOfShared = limit - limit / 4
  }

  /// Returns true when the launch may begin now. Otherwise a later `ended` returns it.
  /// - Parameter caller: the caller whose share of the places is used; nil when no caller requested the
  ///   launch.
  package mutating func begin(_ instance: InstanceID, for caller: CallerShare? = nil) -> Bool {
    guard hasRoom(for: instance, caller) else {
      waiting.append((instance, caller))
      return false
    }
    take(instance, caller)
    return true
  }

  /// Ends a launch, successful or not.
  /// - Returns: the launches that may begin now, oldest first.
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

  private func hasRoom(for instance: InstanceID, _ caller: CallerShare?) -> Bool {
    let hasNone = caller.map { callerCounts[$0] == nil } ?? true
    return running.count < (hasNone ? limit : limitOfShared)
      && counts[instance.slot.application, default: 0] < limitPerApplication
  }

  private mutating func take(_ instance: InstanceID, _ caller: CallerShare?) {
    running[instance] = .some(caller)
    counts[instance.slot.application, default: 0] += 1
    if let caller { callerCounts[caller, default: 0] += 1 }
  }
}
