/// What becomes of opens whose fate is not known when the daemon ends.
///
/// An open with a name can be asked for again: it stays in the record as it is, and the next daemon says what became of
/// it. For an open without a name, the end of the daemon is its fate.
package enum ShutdownRule {
  /// What its opener is told.
  package enum Failure: Hashable, Sendable {
    /// Asked again, it may succeed.
    case shuttingDown
    /// The application may have it: asking again may deliver it twice.
    case deliveryUnknown
  }

  /// What happens to its entry in the record.
  package enum Record: Hashable, Sendable {
    /// The failure is its fate.
    case settle
    /// Its fate was recorded when the application was invoked (R4.3); those who watch requests are told now.
    case tell
    case leaveToNextDaemon
  }

  /// - Parameter wasHandedOver: the application has been given it, or is about to be.
  package static func failure(wasHandedOver: Bool, isNamed: Bool) -> Failure {
    wasHandedOver && !isNamed ? .deliveryUnknown : .shuttingDown
  }

  package static func record(isSettled: Bool, isNamed: Bool) -> Record {
    if isSettled { return .tell }
    return isNamed ? .leaveToNextDaemon : .settle
  }
}
