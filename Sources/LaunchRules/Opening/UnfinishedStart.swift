/// A process whose start the daemon before this one had noted, and which it did not live to note itself.
package enum UnfinishedStart {
  /// One process, as the kernel shows it.
  package struct Sighting: Hashable, Sendable {
    package var pid: Int32
    package var startTime: UInt64
    package var session: Int32
    /// Of the launch token in its environment; nil when there is none.
    package var token: TokenFingerprint?

    package init(pid: Int32, startTime: UInt64, session: Int32, token: TokenFingerprint?) {
      self.pid = pid
      self.startTime = startTime
      self.session = session
      self.token = token
    }
  }

  /// The process that was given the token; nil when it has ended, or never began. What it has started
  /// has the token, too, but is younger, or in the session of another.
  package static func process(
    given token: TokenFingerprint, among processes: [Sighting]
  ) -> Sighting? {
    processes.filter { $0.token == token && $0.session == $0.pid }
      .min { $0.startTime < $1.startTime }
  }

  /// What is to be done about a unit that was ordered.
  package enum UnitDecision: Hashable, Sendable {
    /// It has this main process.
    case adopt(pid: Int32)
    /// It waits to be started. Nobody would know its process: take the order back.
    case withdraw
    case nothing
  }

  /// - Parameters:
  ///   - mainPID: 0 when there is none.
  ///   - hasJob: The service manager is still to do something about it.
  package static func decide(mainPID: Int32, hasJob: Bool) -> UnitDecision {
    if mainPID > 0 { return .adopt(pid: mainPID) }
    return hasJob ? .withdraw : .nothing
  }
}

/// Enough of a launch token to find the process that has it, and too little to show it.
package struct TokenFingerprint: Hashable, Sendable {
  package let value: UInt64

  package init(_ token: String) {
    var hash = FNV1a()
    hash.add(token)
    value = hash.value
  }

  /// One that was kept.
  package init(value: UInt64) { self.value = value }
}
