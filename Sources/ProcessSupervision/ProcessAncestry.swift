/// The evidence for finding the instance that started a process: ancestors, session and unit.
package nonisolated struct ProcessAncestry {
  /// A session as reported by the kernel.
  package struct Session: Hashable, Sendable {
    /// Process number of the session leader.
    package var number: Int32
    /// Start time of the process that has this number now; nil without such a process.
    package var leaderStartTime: UInt64?

    package init(number: Int32, leaderStartTime: UInt64?) {
      self.number = number
      self.leaderStartTime = leaderStartTime
    }
  }

  /// The process and its ancestors, nearest first, with their start times, which reveal reused process
  /// numbers.
  package var lineage: [(pid: Int32, startTime: UInt64)]
  package var session: Session
  /// The unit of the user's service manager that contains the process.
  package var unit: String?

  package init(
    lineage: [(pid: Int32, startTime: UInt64)], session: Session, unit: String? = nil
  ) {
    self.lineage = lineage
    self.session = session
    self.unit = unit
  }
}
