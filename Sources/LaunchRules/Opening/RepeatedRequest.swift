/// Decides what happens to a request with an identifier that was used before. No request is delivered twice.
package enum RepeatedRequest {
  /// The known state of the first request.
  package enum Known: Hashable, Sendable {
    /// This daemon is handling the request.
    case underWay
    /// The result is known.
    case settled
    /// The previous daemon ended before the delivery.
    case accepted
    /// The previous daemon ended during the delivery to this process.
    case delivering(Process)
    /// A device may have received the request: the previous daemon ended during the delivery, or the device has not
    /// answered.
    case withDevice
  }

  /// A process, identified by number and start time because numbers are reused.
  package struct Process: Hashable, Sendable {
    package var pid: Int32
    package var startTime: UInt64

    package init(pid: Int32, startTime: UInt64) {
      self.pid = pid
      self.startTime = startTime
    }
  }

  package enum Decision: Hashable, Sendable {
    /// Send the same reply as for the first request, when its result is known.
    case join
    /// Repeat the reply to the first request.
    case answerAgain
    /// Treat the request as new.
    case accept
    /// Deliver the request again to the process that received it, if that process remembers its requests;
    /// never to another process.
    case askAgain
    /// The process that received the request may have had so many others since that it has forgotten this one.
    case forgotten
    /// Ask the device again, if it is a machine: a machine delivers each identifier once, and answers with the result. No
    /// other device is asked.
    case askDevice
    /// The result cannot be determined.
    case unknown
    case refuse(String)
  }

  /// Minimum number of requests that a handler with the option `remembers-requests` remembers.
  package static let remembered = 10_000

  /// Maximum number of requests since the first delivery up to which a handler is asked again. Less than `remembered`:
  /// opens that were accepted before the request may have been delivered after it, such as those that the user has
  /// confirmed.
  package static let farthest: UInt64 = 8_000

  package static let otherRequest =
    "option 'request-id': it was used before, for another request"

  /// The failure when the record of earlier requests is lost.
  package static func lost(_ why: String) -> OpenFailure {
    .deliveryUnknown(
      "it is unknown whether the request arrived, and the request is not sent again: \(why)")
  }

  /// The failure of a new request with an identifier when the daemon has left the record to another daemon.
  package static func unrecorded(_ why: String) -> OpenFailure {
    .handlerRefused(
      "the request cannot be recorded, and was not delivered, because \(why): end both daemons, start one of them"
        + " again, and repeat the request")
  }

  /// The failure when the daemon ended during the delivery, and the process has ended, too.
  /// - Parameter pid: 0 when a device was the receiver.
  package static func unknown(_ handler: String, _ pid: Int32) -> OpenFailure {
    .deliveryUnknown(
      "the daemon ended during the delivery to \(handler)"
        + (pid == 0 ? "" : " (process \(pid)), and that process has ended, too")
        + ": it is unknown whether the request arrived, and the request is not sent again"
    )
  }

  /// The failure when the process that received the request may have forgotten it.
  package static func forgotten(_ handler: String, _ pid: Int32) -> OpenFailure {
    .deliveryUnknown(
      "the daemon ended during the delivery to \(handler) (process \(pid)), and has accepted so many requests since"
        + " that the process may have forgotten this one: it is unknown whether the request arrived, and the request"
        + " is not sent again")
  }

  /// - Parameters:
  ///   - isSame: whether the contents of both requests are equal.
  ///   - handler: the process that serves the application, or is expected to return; nil without one.
  ///   - number: of the first request.
  ///   - last: the last number that was given to a request. Each request gets a greater number than those before, also
  ///     after a restart of the daemon, so that the difference is not less than the number of later deliveries.
  package static func decide(
    _ known: Known, isSame: Bool, handler: Process?, number: UInt64, last: UInt64
  ) -> Decision {
    guard isSame else {
      return .refuse(otherRequest)
    }
    switch known {
    case .underWay: return .join
    case .settled: return .answerAgain
    case .accepted: return .accept
    case .delivering(let process):
      guard process == handler else { return .unknown }
      return number <= last && last - number <= farthest ? .askAgain : .forgotten
    case .withDevice: return .askDevice
    }
  }
}
