internal import LaunchRules

/// What the opens under way take, by who asked for them and whom they are for.
final class OpenLoads {
  private struct Pair: Hashable {
    var share: String
    var handler: BundleIdentifier
  }

  private var byShare: [String: AdmissionRule.Load] = [:]
  private var byHandler: [BundleIdentifier: AdmissionRule.Load] = [:]
  private var opensByPair: [Pair: Int] = [:]
  private var all = AdmissionRule.Load.none

  func add(_ load: AdmissionRule.Load, of share: String, for handler: BundleIdentifier) {
    all.add(load)
    byShare[share, default: .none].add(load)
    byHandler[handler, default: .none].add(load)
    opensByPair[Pair(share: share, handler: handler), default: 0] += load.opens
  }

  func remove(_ load: AdmissionRule.Load, of share: String, for handler: BundleIdentifier) {
    all.remove(load)
    byShare[share]?.remove(load)
    if byShare[share] == AdmissionRule.Load.none { byShare[share] = nil }
    byHandler[handler]?.remove(load)
    if byHandler[handler] == AdmissionRule.Load.none { byHandler[handler] = nil }
    let pair = Pair(share: share, handler: handler)
    let rest = opensByPair[pair, default: 0] - load.opens
    opensByPair[pair] = rest > 0 ? rest : nil
  }

  func underWay(of share: String, for handler: BundleIdentifier) -> AdmissionRule.UnderWay {
    var underWay = AdmissionRule.UnderWay()
    underWay.ofCaller = byShare[share] ?? .none
    underWay.forHandler = byHandler[handler] ?? .none
    underWay.ofCallerForHandler = opensByPair[Pair(share: share, handler: handler)] ?? 0
    underWay.all = all
    return underWay
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
