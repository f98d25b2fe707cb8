/// What becomes of a request whose identifier was used before: it is never delivered twice.
package enum RepeatedRequest {
  /// What is known of the first one.
  package enum Known: Hashable, Sendable {
    /// This daemon is still at it.
    case underWay
    /// Its fate is known.
    case settled
    /// The daemon before this one ended before it handed anything over.
    case accepted
    /// The daemon before this one ended while it handed it to this process.
    case delivering(Process)
  }

  /// Named for good: a number alone may be used again.
  package struct Process: Hashable, Sendable {
    package var pid: Int32
    package var startTime: UInt64

    package init(pid: Int32, startTime: UInt64) {
      self.pid = pid
      self.startTime = startTime
    }
  }

  package enum Decision: Hashable, Sendable {
    /// Answer it together with the first one.
    case join
    /// Answer what the first one was answered.
    case answerAgain
    /// As if it came for the first time.
    case accept
    /// Hand it once more to the process that was given it, if that remembers; never to another.
    case askAgain
    /// Nobody is left who could say whether it arrived.
    case unknown
    case refuse(String)
  }

  package static let otherRequest =
    "option 'request-id': it was used before, for another request"

  /// The record that would say whether the request was made before is lost.
  package static func lost(_ why: String) -> OpenFailure {
    .deliveryUnknown(
      "it is not known whether the request arrived, and it is not sent again: \(why)")
  }

  /// The daemon ended in the middle of the delivery, and the process does not run any more.
  package static func unknown(_ handler: String, _ pid: Int32) -> OpenFailure {
    .deliveryUnknown(
      "the daemon ended while it handed the request to \(handler), process \(pid),"
        + " which is gone: it is not known whether it arrived, and it is not sent again")
  }

  /// - Parameters:
  ///   - isSame: It asks for the same thing as the first one.
  ///   - handler: The process that serves the application, or is expected back; nil for none.
  package static func decide(_ known: Known, isSame: Bool, handler: Process?) -> Decision {
    guard isSame else {
      return .refuse(otherRequest)
    }
    switch known {
    case .underWay: return .join
    case .settled: return .answerAgain
    case .accepted: return .accept
    case .delivering(let process): return process == handler ? .askAgain : .unknown
    }
  }
}
