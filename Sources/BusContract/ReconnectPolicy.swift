package import DBus
internal import LaunchRules

/// When and how often a client repeats an open that the daemon did not answer before it ended.
///
/// The client sends the open to the next daemon with the same `request-id`; that daemon answers with the fate
/// of the first attempt and delivers nothing twice.
package enum ReconnectPolicy {
  /// The delay before each attempt, in milliseconds: 30 s in all, which is enough for a restart.
  package static let delays = [50, 100, 200, 400, 800, 1500, 3000, 6000, 9000, 9000]

  /// The delays when the connection to another machine is lost: 2 minutes in all, in which a network comes back.
  package static let remoteDelays =
    [100, 200, 400, 800, 1500, 3000] + Array(repeating: 5000, count: 23)

  /// Whether the daemon received the call but ended, or is ending, without an answer.
  package static func isInterruption(_ error: BusError) -> Bool {
    error.name == .noReply || error.name == shuttingDown
  }

  /// Whether no daemon runs at this moment.
  package static func isAbsence(_ error: BusError) -> Bool {
    error.name == .serviceUnknown
      || error.name == .nameHasNoOwner
      // The bus has started a daemon that did not take its name in time.
      || error.name == .timedOut
      || error.name.text.hasPrefix(ErrorName.spawnPrefix)
  }

  private static let shuttingDown = OpenFailure.shuttingDown("").busError.name
}
