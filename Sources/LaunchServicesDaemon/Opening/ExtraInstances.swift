internal import LaunchRules

/// The instances that were started for opens with `new-instance`.
struct ExtraInstances {
  /// Maximum number of such instances that run at once for one caller.
  private let limit: Int
  private var shares: [InstanceID: CallerShare] = [:]

  init(limit: Int) { self.limit = limit }

  mutating func add(_ instance: InstanceID, of share: CallerShare) { shares[instance] = share }

  /// - Throws: LimitExceeded, when the running instances of this caller reach the limit.
  mutating func check(
    _ share: CallerShare, running isRunning: (InstanceID) -> Bool
  ) throws(OpenFailure) {
    shares = shares.filter { isRunning($0.key) }
    let count = shares.values.count { $0 == share }
    guard count < limit else {
      throw .limitExceeded(
        "\(count) extra instances started by this caller are running, which is the limit"
          + " MaximumInstances of the settings: end some of these instances, or open without the"
          + " option new-instance")
    }
  }
}
