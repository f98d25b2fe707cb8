internal import Host
internal import LaunchRules

/// The sessions of the processes that the daemon started, each of which leads its own session. Descendants
/// stay in the session after their parents or the leader have ended.
nonisolated struct StartedSessions {
  private struct Known {
    var instance: InstanceID
    /// Start time of the leader; nil when the leader had ended before this daemon could read it.
    var startTime: UInt64?
  }

  private var sessions: [Int32: Known] = [:]
  /// Sessions of ended instances, oldest first.
  private var ended: [Int32] = []
  /// Returns the numbers of all sessions that have members.
  private let living: () -> Set<Int32>
  /// Number of remembered sessions of ended instances from which those without members are forgotten.
  private var most = 1000

  init(living: @escaping () -> Set<Int32> = { ProcessDetails.sessions }) { self.living = living }

  mutating func began(_ instance: InstanceID, session number: Int32, startTime: UInt64?) {
    ended.removeAll { $0 == number }
    sessions[number] = Known(instance: instance, startTime: startTime)
  }

  mutating func ended(_ instance: InstanceID, session number: Int32) {
    guard sessions[number]?.instance == instance else { return }
    ended.append(number)
    if ended.count > most { forgetEmpty() }
  }

  /// A session with members is never forgotten: an application could start many processes, and the oldest would
  /// become the user's own.
  private mutating func forgetEmpty() {
    let living = living()
    for number in ended where !living.contains(number) { sessions[number] = nil }
    ended.removeAll { !living.contains($0) }
    most = max(1000, 2 * ended.count)
  }

  /// The instance that the session belongs to or belonged to.
  ///
  /// The kernel reuses a session number only after the session has no members left. A new session with the
  /// same number cannot be distinguished if its leader has ended, too. Such a confusion is harmless: it
  /// grants nothing that other callers cannot get with option `as`, and does not authorize a check-in.
  func instance(of session: ProcessAncestry.Session) -> InstanceID? {
    guard let known = sessions[session.number] else { return nil }
    if let leader = session.leaderStartTime, leader != known.startTime { return nil }
    return known.instance
  }
}
