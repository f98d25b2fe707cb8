internal import BusContract
internal import DBus
internal import DaemonSettings
internal import LaunchRules

/// Limits on queued calls and unread replies, and the time for calls before other events are handled.
enum CallLimits {
  /// Queued calls at which reading from a direct peer pauses (`mostReadAhead`) and resumes (`fewReadAhead`).
  static let mostReadAhead = 32
  static let fewReadAhead = 8
  static let mostBytesReadAhead = 1 << 20
  /// Unwritten bytes of replies on a connection above which its further calls are not answered.
  static let mostUnwritten = 1 << 16
  /// The same limit for all direct connections of one caller together.
  static let mostUnwrittenOfCaller = 1 << 20
  /// The same limit for the bus connection. Replies to all callers share this connection, and the bus reads it two
  /// kilobytes at a time in turns with all other connections. Each reply waits for all unwritten bytes before it.
  static let mostUnwrittenToBus = 1 << 12
  /// Unwritten bytes on a connection above which refusals wait, so that there is room for answers.
  static let mostUnwrittenForRefusals = 1 << 10
  /// Arguments above this size, in bytes, are dropped from a queued message after they have been decoded.
  static let mostKeptBytes = 1 << 12
  /// Maximum number of queued calls with standard streams per connection.
  static let mostWithStreams = 32
  /// Maximum number of large answers that are made at a time, for all callers together; each may take megabytes.
  static let mostLargeAnswers = 4
  /// Nanoseconds that calls are answered for before other events are handled.
  static let patience: UInt64 = 1_000_000
  /// Nanoseconds that the clock of a caller may lag behind the queue clock (`CallQueue.credit`).
  static let credit: UInt64 = 2_000_000
  /// Nanoseconds charged per byte of arguments, for the work outside the turn of the call: libdbus reads the
  /// bytes, and the daemon passes them on.
  static let costOfByte: UInt64 = 5
  /// The size of arguments, in bytes, that is counted of a larger call. What is kept of a call is less.
  static let mostCountedBytes = 4 << 20
  /// The size, in bytes, for which a call counts besides its arguments.
  static let bytesOfCall = 512
  /// Time without answers for a connection that exceeded a limit, so that repeated calls do not overload the
  /// bus.
  static let penalty: Duration = .milliseconds(5)

  /// Maximum size of the values of a reply to a call of the daemon, in bytes. The largest valid reply of an application has
  /// a boolean for each of `DocumentLimit.mostDocuments` URLs.
  static let mostReplyBytes = 64 << 10

  static let tooLongPath = BusError(
    .unknownObject, "there is no object with a path of more than \(Message.longestPath) bytes")

  static let tooManyStreams = OpenFailure.limitExceeded(
    "\(mostWithStreams) calls of this connection that bring stdin, stdout or stderr wait already, which is the limit"
  ).busError
}

/// Limits on the queued calls.
struct WaitingCalls {
  /// Maximum number of queued calls of one caller.
  var calls: Int
  /// Maximum total size of the arguments of the queued calls of one caller, in bytes.
  var bytes: Int
  /// The error for calls that exceed the limits.
  var error: BusError

  /// The limit for the calls of all callers: twice that of one caller.
  var admission: CallAdmission { CallAdmission(most: 2 * bytes) }

  static func allowed(by settings: OpenLimits) -> Self {
    // Queued opens are not admitted yet, so this limit is at least MaximumOpensPerCaller.
    let calls = max(settings.maximumOpensPerCaller, 256)
    return Self(
      calls: calls, bytes: max(settings.maximumPendingBytes / 4, 1 << 20),
      error: OpenFailure.limitExceeded(
        // Short: a caller that exceeds the limits gets this text very often.
        "too many calls wait for an answer: of this caller at most \(calls), or a quarter of MaximumPendingBytes; of all, half of it"
      ).busError)
  }
}
