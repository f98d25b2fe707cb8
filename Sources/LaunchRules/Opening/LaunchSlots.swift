/// Limits the number of concurrent launches. Further launches wait, so that many opens for many applications
/// are delayed but not refused. One application has at most a quarter of the places, and its waiting launches
/// do not block other applications. The last quarter of the places is reserved for callers without a place,
/// so that no caller blocks all others. Of the waiting launches, one of the caller whose groups have the fewest
/// places begins first.
package struct LaunchSlots: Sendable {
  private struct Launch {
    var instance: InstanceID
    /// The caller, then its groups; empty when no caller requested the launch.
    var callers: [LoadOwner]
  }

  private let limit: Int
  private let limitPerApplication: Int
  /// The places available to callers that already have one.
  private let limitOfShared: Int
  private var running: [InstanceID: [LoadOwner]] = [:]
  private var callerCounts: [LoadOwner: Int] = [:]
  private var counts: [BundleIdentifier: Int] = [:]
  /// The waiting launches, oldest first.
  private var waiting: [Launch] = []

  /// - Parameter limit: number of places, at least 1.
  package init(limit: Int) {
    self.limit = limit
    limitPerApplication = max(1, limit / 4)
    limitOfShared = limit - limit / 4
  }

  /// Returns true when the launch may begin now. Otherwise a later `ended` returns it.
  /// - Parameters:
  ///   - caller: the caller whose share of the places is used; nil when no caller requested the launch.
  ///   - groups: the groups that the caller belongs to; see `IdentifiedCaller.groups`.
  package mutating func begin(
    _ instance: InstanceID, for caller: LoadOwner? = nil, in groups: [LoadOwner] = []
  ) -> Bool {
    let callers = caller.map { caller in [caller] + groups.filter { $0 != caller } } ?? []
    let launch = Launch(instance: instance, callers: callers)
    guard hasRoom(for: launch) else {
      waiting.append(launch)
      return false
    }
    take(launch)
    return true
  }

  /// Frees the place of a launch that has ended, successful or not, or that takes long.
  /// - Returns: the launches that may begin now, in this order.
  package mutating func ended(_ instance: InstanceID) -> [InstanceID] {
    guard let callers = running.removeValue(forKey: instance) else {
      waiting.removeAll { $0.instance == instance }
      return []
    }
    let application = instance.slot.application
    counts[application] = counts[application].flatMap { $0 > 1 ? $0 - 1 : nil }
    for caller in callers {
      callerCounts[caller] = callerCounts[caller].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    var begun: [InstanceID] = []
    while let index = next {
      let launch = waiting.remove(at: index)
      take(launch)
      begun.append(launch.instance)
    }
    return begun
  }

  /// Of the waiting launches that have room, the oldest of those whose callers have the fewest places.
  private var next: Int? {
    waiting.indices.lazy.filter { hasRoom(for: waiting[$0]) }
      .map { (index: $0, places: places(of: waiting[$0].callers)) }
      .min { $0.places < $1.places }?.index
  }

  /// The places of the caller and of each of its groups, added. Groups that all callers share change no order.
  private func places(of callers: [LoadOwner]) -> Int {
    callers.reduce(0) { $0 + callerCounts[$1, default: 0] }
  }

  private func hasRoom(for launch: Launch) -> Bool {
    let hasNone = launch.callers.first.map { callerCounts[$0] == nil } ?? true
    return running.count < (hasNone ? limit : limitOfShared)
      && counts[launch.instance.slot.application, default: 0] < limitPerApplication
  }

  private mutating func take(_ launch: Launch) {
    running[launch.instance] = launch.callers
    counts[launch.instance.slot.application, default: 0] += 1
    for caller in launch.callers { callerCounts[caller, default: 0] += 1 }
  }
}
