/// A process whose start the previous daemon recorded, but not its process number.
package enum UnfinishedStart {
  /// A process as reported by the kernel.
  package struct Sighting: Hashable, Sendable {
    package var pid: Int32
    package var startTime: UInt64
    package var session: Int32
    /// The fingerprint of the launch token in its environment; nil without a token.
    package var token: TokenFingerprint?
    /// Whether the previous daemon has created this process, and the process may not have executed its program
    /// yet. It has no token before.
    package var mayBeBeforeExecution: Bool

    package init(
      pid: Int32, startTime: UInt64, session: Int32, token: TokenFingerprint?,
      mayBeBeforeExecution: Bool = false
    ) {
      self.pid = pid
      self.startTime = startTime
      self.session = session
      self.token = token
      self.mayBeBeforeExecution = mayBeBeforeExecution
    }
  }

  /// Whether a later look at the processes can find the one that received a token.
  package static func canAppear(
    given tokens: [TokenFingerprint], among processes: [Sighting]
  ) -> Bool {
    processes.contains { $0.mayBeBeforeExecution }
      && tokens.contains { process(given: $0, among: processes) == nil }
  }

  /// The process that received the token; nil when it has ended or was never started. Its descendants have
  /// the token, too, but are younger or in another session.
  package static func process(
    given token: TokenFingerprint, among processes: [Sighting]
  ) -> Sighting? {
    processes.filter { $0.token == token && $0.session == $0.pid }
      .min { $0.startTime < $1.startTime }
  }

  /// What to do about a unit that was ordered.
  package enum UnitDecision: Hashable, Sendable {
    /// Supervise this main process.
    case adopt(pid: Int32)
    /// Withdraw the order: the unit still waits to be started, and its process would be unknown.
    case withdraw
    case nothing
  }

  /// - Parameters:
  ///   - mainPID: 0 without a main process.
  ///   - hasJob: whether the service manager has a pending job for the unit.
  package static func decide(mainPID: Int32, hasJob: Bool) -> UnitDecision {
    if mainPID > 0 { return .adopt(pid: mainPID) }
    return hasJob ? .withdraw : .nothing
  }
}

/// A hash of a launch token that identifies the process with the token without revealing the token.
package struct TokenFingerprint: Hashable, Sendable {
  package let value: UInt64

  package init(_ token: String) {
    var hash = FNV1a()
    hash.add(token)
    value = hash.value
  }

  /// Creates a fingerprint from a stored value.
  package init(value: UInt64) { self.value = value }
}
