/// Decides what happens to pending opens when the daemon ends.
///
/// An open with a name may be repeated: its record stays unchanged, and the next daemon reports the result.
/// The end of the daemon is the result of an open without a name.
package enum ShutdownRule {
  /// The error for the opener.
  package enum Failure: Hashable, Sendable {
    /// A repetition may succeed.
    case shuttingDown
    /// The application may have received the open, so a repetition may deliver it twice.
    case deliveryUnknown
  }

  /// What happens to the entry in the record.
  package enum Record: Hashable, Sendable {
    /// The failure becomes the result.
    case settle
    /// The result was recorded when the application was invoked (R4.3); monitors are notified now.
    case tell
    case leaveToNextDaemon
  }

  /// - Parameter wasHandedOver: whether the delivery to the application has begun.
  package static func failure(wasHandedOver: Bool, hasRequestID: Bool) -> Failure {
    wasHandedOver && !hasRequestID ? .deliveryUnknown : .shuttingDown
  }

  package static func record(isSettled: Bool, hasRequestID: Bool) -> Record {
    if isSettled { return .tell }
    return hasRequestID ? .leaveToNextDaemon : .settle
  }
}
