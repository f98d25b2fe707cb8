internal import LaunchRules

/// The load of pending opens, by caller and by handler.
final class OpenLoads {
  private struct Pair: Hashable {
    var share: LoadOwner
    var handler: BundleIdentifier
  }

  private var byShare: [LoadOwner: AdmissionRule.Load] = [:]
  private var byGroup: [LoadOwner: AdmissionRule.Load] = [:]
  private var byHandler: [BundleIdentifier: AdmissionRule.Load] = [:]
  private var opensByPair: [Pair: Int] = [:]
  private var byGroupAndHandler: [Pair: AdmissionRule.Load] = [:]
  private var all = AdmissionRule.Load.none

  func add(
    _ load: AdmissionRule.Load, of usage: PendingOpen.Usage, for handler: BundleIdentifier
  ) {
    let share = usage.share
    all.add(load)
    byShare[share, default: .none].add(load)
    for group in usage.groups {
      byGroup[group, default: .none].add(load)
      byGroupAndHandler[Pair(share: group, handler: handler), default: .none].add(load)
    }
    byHandler[handler, default: .none].add(load)
    opensByPair[Pair(share: share, handler: handler), default: 0] += load.opens
  }

  func remove(
    _ load: AdmissionRule.Load, of usage: PendingOpen.Usage, for handler: BundleIdentifier
  ) {
    let share = usage.share
    all.remove(load)
    byShare.remove(load, of: share)
    for group in usage.groups {
      byGroup.remove(load, of: group)
      byGroupAndHandler.remove(load, of: Pair(share: group, handler: handler))
    }
    byHandler.remove(load, of: handler)
    opensByPair.remove(load.opens, of: Pair(share: share, handler: handler))
  }

  func underWay(
    of share: LoadOwner, in groups: [LoadOwner], for handler: BundleIdentifier
  ) -> AdmissionRule.UnderWay {
    var underWay = AdmissionRule.UnderWay()
    underWay.ofCaller = byShare[share] ?? .none
    underWay.ofGroups = groups.map { byGroup[$0] ?? .none }
    if groups.contains(.orphans) { underWay.ofOrphans = byGroup[.orphans] }
    underWay.ofGroupsForHandler = groups.map {
      byGroupAndHandler[Pair(share: $0, handler: handler)] ?? .none
    }
    underWay.forHandler = byHandler[handler] ?? .none
    underWay.ofCallerForHandler = opensByPair[Pair(share: share, handler: handler)] ?? 0
    underWay.all = all
    return underWay
  }
}

extension Dictionary where Value == AdmissionRule.Load {
  /// Hashes the key once: an open has a group for each ancestor of its caller.
  fileprivate mutating func remove(_ load: Value, of key: Key) {
    guard let index = index(forKey: key) else { return }
    values[index].remove(load)
    if values[index] == .none { remove(at: index) }
  }
}

extension Dictionary where Value == Int {
  fileprivate mutating func remove(_ count: Int, of key: Key) {
    guard let index = index(forKey: key) else { return }
    values[index] -= count
    if values[index] <= 0 { remove(at: index) }
  }
}

extension AdmissionRule.Load {
  fileprivate mutating func add(_ other: Self) {
    opens += other.opens
    bytes += other.bytes
    withStreams += other.withStreams
  }

  fileprivate mutating func remove(_ other: Self) {
    opens -= other.opens
    bytes -= other.bytes
    withStreams -= other.withStreams
  }
}
