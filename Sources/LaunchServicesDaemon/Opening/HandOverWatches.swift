internal import Host
internal import LaunchRules

/// Observes the processes that took URLs from handlers which pass URLs on, until it is known whether each process goes on
/// running.
final class HandOverWatches {
  private struct Watch {
    var exit: ExitWatch
    var end: Deadline
    var outcome: OpenOutcome
  }

  private var watches: [RequestID: Watch] = [:]

  /// Ends all observations.
  /// - Returns: the requests, with the results that were not certain yet.
  func endAll() -> [(RequestID, OpenOutcome)] {
    defer { watches = [:] }
    return watches.map { ($0.key, $0.value.outcome) }
  }

  /// - Parameter completion: called once: true when the process still runs after the time of observation, or cannot be
  ///   observed for lack of descriptors.
  func begin(
    _ request: RequestID, _ outcome: OpenOutcome, of owner: HandOver.Owner,
    _ completion: @escaping (_ runs: Bool) -> Void
  ) {
    let conclude = { [weak self] (runs: Bool) in
      guard self?.watches.removeValue(forKey: request) != nil else { return }
      completion(runs)
    }
    do throws(Errno) {
      let exit = try ExitWatch(pid: owner.pid) { _ in conclude(false) }
      // The number may belong to another process by now.
      let runs = ProcessDetails(of: owner.pid)?.startTime == owner.startTime
      let time = runs ? HandOver.observation : .zero
      watches[request] = Watch(
        exit: exit, end: Deadline(after: time) { conclude(runs) }, outcome: outcome)
    } catch {
      completion(true)
    }
  }
}
