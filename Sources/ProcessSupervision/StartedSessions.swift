internal import LaunchRules

/// The sessions of the processes that the daemon started, each the leader of its own. What such a process
/// starts stays in its session when it has lost its parents, and when the leader has ended, too.
nonisolated struct StartedSessions {
  private struct Known {
    var instance: InstanceID
    /// Of the leader; nil when it had ended before this daemon saw it.
    var startTime: UInt64?
  }

  private var sessions: [Int32: Known] = [:]
  /// Those whose instances have ended, oldest first.
  private var ended: [Int32] = []
  /// How many of them are remembered.
  private static let mostEnded = 1000

  mutating func began(_ instance: InstanceID, session number: Int32, startTime: UInt64?) {
    ended.removeAll { $0 == number }
    sessions[number] = Known(instance: instance, startTime: startTime)
  }

  mutating func ended(_ instance: InstanceID, session number: Int32) {
    guard sessions[number]?.instance == instance else { return }
    ended.append(number)
    if ended.count > Self.mostEnded { sessions[ended.removeFirst()] = nil }
  }

  /// Whose session it is, now or before the instance ended.
  ///
  /// The kernel gives a number away only when nobody is left in its session. A session of the same
  /// number whose leader has ended as well cannot be told apart: being taken for an application
  /// opens nothing that anybody else may not have with `as`, and no check-in is believed for it.
  func instance(of session: ProcessAncestry.Session) -> InstanceID? {
    guard let known = sessions[session.number] else { return nil }
    if let leader = session.leaderStartTime, leader != known.startTime { return nil }
    return known.instance
  }
}
