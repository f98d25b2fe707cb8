/// The processes and groupings by which a process is traced back to the instance that started it.
package nonisolated struct ProcessAncestry {
  /// A session as the kernel shows it.
  package struct Session: Hashable, Sendable {
    /// The process number of its leader.
    package var number: Int32
    /// The start time of the process that has this number now; nil when there is none.
    package var leaderStartTime: UInt64?

    package init(number: Int32, leaderStartTime: UInt64?) {
      self.number = number
      self.leaderStartTime = leaderStartTime
    }
  }

  /// The process and its ancestors, nearest first, with their start times, so that a reused process number
  /// is not believed.
  package var lineage: [(pid: Int32, startTime: UInt64)]
  package var session: Session
  /// The unit of the user's service manager that the process belongs to.
  package var unit: String?

  package init(
    lineage: [(pid: Int32, startTime: UInt64)], session: Session, unit: String? = nil
  ) {
    self.lineage = lineage
    self.session = session
    self.unit = unit
  }
}
