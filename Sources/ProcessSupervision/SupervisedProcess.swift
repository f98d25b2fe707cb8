/// The known state of the process of an instance.
package nonisolated struct SupervisedProcess: Hashable, Sendable {
  package struct Successor: Hashable, Sendable {
    package var pid: Int32
    package var startTime: UInt64

    package init(pid: Int32, startTime: UInt64) {
      self.pid = pid
      self.startTime = startTime
    }
  }

  package var pid: Int32
  /// Detects a reused process number; nil when it could not be read.
  package var startTime: UInt64?
  /// A child process that has checked in for this process.
  package var successor: Successor?
  /// The session that was created for the process; nil when no daemon started the process.
  package var session: Int32?
  package var unit: String?
  /// Time of the start or first appearance, in monotonic microseconds.
  package var since: UInt64
  /// Whether this daemon or a previous one started the process, and supervises it.
  package var isOurs: Bool
  package var isSuspended: Bool
  /// Whether the process has ended. Its exit status may still be unknown.
  package var hasEnded: Bool
  /// Whether the process was running when SIGTERM was sent.
  package var wasTerminated: Bool
}
