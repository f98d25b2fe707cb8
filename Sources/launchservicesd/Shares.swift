internal import LaunchRules

// Whose share of what is limited is used.

extension Daemon {
  /// That of its application, where it is one: all its processes together. Else that of the process.
  func share(of caller: Caller, on sender: String) -> String {
    if case .application(let identifier, _) = caller { return identifier.text }
    return callers.facts(of: sender)?.share ?? sender
  }

  /// Fails when as many processes run that this caller has had started besides others as may be.
  func admitInstance(of share: String) throws(OpenFailure) {
    let count = extraInstances.count(of: share) { lifecycles.has($0) }
    guard count < settings.launch.maximumInstances else {
      throw .limitExceeded(
        "\(count) processes run that this caller has had started as new instances, which is the limit"
          + " MaximumInstances of the settings: end some, or open without new-instance")
    }
  }
}

/// Processes that were started because somebody wanted a new one.
final class ExtraInstances {
  private var shares: [InstanceID: String] = [:]

  func add(_ instance: InstanceID, of share: String) { shares[instance] = share }

  /// Those of this caller that run.
  func count(of share: String, running isRunning: (InstanceID) -> Bool) -> Int {
    shares = shares.filter { isRunning($0.key) }
    return shares.values.count { $0 == share }
  }
}
