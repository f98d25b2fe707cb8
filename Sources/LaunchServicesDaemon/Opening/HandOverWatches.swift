internal import Host
internal import LaunchRules

/// Observes the processes that took URLs from handlers which pass URLs on, until it is known whether each process goes on
/// running.
final class HandOverWatches {
  enum Observation {
    /// The process still runs after `HandOver.observation`, or cannot be observed for lack of descriptors.
    case runs
    /// The process ended before.
    case ended
    /// The process that still ran ended before `HandOver.laterObservation`.
    case endedLater
  }

  private struct Watch {
    var exit: ExitWatch
    var end: Deadline
    /// The result that is not certain yet; nil after `runs`.
    var outcome: OpenOutcome?
  }

  private var watches: [RequestID: Watch] = [:]
  /// The maximum number of processes that are observed after `runs`.
  private static let mostLater = 64

  /// Ends all observations.
  /// - Returns: the requests, with the results that were not certain yet.
  func endAll() -> [(RequestID, OpenOutcome)] {
    defer { watches = [:] }
    return watches.compactMap { request, watch in watch.outcome.map { (request, $0) } }
  }

  /// - Parameter report: called with `ended`; or with `runs`, and then perhaps with `endedLater`.
  func begin(
    _ request: RequestID, _ outcome: OpenOutcome, of owner: HandOver.Owner,
    _ report: @escaping (Observation) -> Void
  ) {
    do throws(Errno) {
      let exit = try ExitWatch(pid: owner.pid) { [weak self] _ in
        guard let watch = self?.watches.removeValue(forKey: request) else { return }
        report(watch.outcome == nil ? .endedLater : .ended)
      }
      // The number may belong to another process by now.
      let isSame = ProcessDetails(of: owner.pid)?.startTime == owner.startTime
      let end = Deadline(after: isSame ? HandOver.observation : .zero) { [weak self] in
        guard self?.watches[request] != nil else { return }
        if isSame {
          self?.observeLater(request)
          report(.runs)
        } else {
          self?.watches[request] = nil
          report(.ended)
        }
      }
      watches[request] = Watch(exit: exit, end: end, outcome: outcome)
    } catch {
      report(.runs)
    }
  }

  private func observeLater(_ request: RequestID) {
    guard watches.values.count(where: { $0.outcome == nil }) < Self.mostLater else {
      watches[request] = nil
      return
    }
    watches[request]?.outcome = nil
    watches[request]?.end = Deadline(after: HandOver.laterObservation - HandOver.observation) {
      [weak self] in self?.watches[request] = nil
    }
  }
}
