internal import BusContract
internal import DBus
internal import LaunchRules

/// What callers may keep waiting, and how long the daemon deals with calls before other events get their turn.
enum CallLimits {
  /// Calls of a direct peer that are read before earlier ones are answered.
  static let mostReadAhead = 32
  static let fewReadAhead = 8
  static let mostBytesReadAhead = 1 << 20
  /// A reply that is not written yet and takes more than this keeps further calls of the connection waiting.
  static let mostUnwritten = 1 << 16
  /// The same for all direct connections of one caller.
  static let mostUnwrittenOfCaller = 1 << 20
  /// The same for the bus, which reads at any time: a caller's reply waits for what is written to others before.
  static let mostUnwrittenToBus = 1 << 17
  /// A longer message is not kept beside what was read of it.
  static let mostKeptBytes = 1 << 12
  /// Calls of one connection that may wait with standard streams.
  static let mostWithStreams = 32
  /// In nanoseconds: calls are answered for so long before other events get their turn.
  static let patience: UInt64 = 1_000_000
  /// In nanoseconds: what a caller that has used less time than others may take before them.
  static let credit: UInt64 = 2_000_000
  /// In nanoseconds: what a byte of the arguments takes outside of the turn of its call, where libdbus reads it and where
  /// it is handed over.
  static let costOfByte: UInt64 = 5
  /// Calls of a connection that has closed that are answered at once, before its end is handled.
  static let mostLast = 16
  /// A caller that exceeds a limit is not answered for this time, because one that goes on calling would wear out the bus
  /// for all callers.
  static let penalty: Duration = .milliseconds(5)

  static let tooManyStreams = OpenFailure.limitExceeded(
    "\(mostWithStreams) calls of this connection that bring stdin, stdout or stderr wait already, which is the limit"
  ).busError
}

/// What the waiting calls of one caller may take.
struct WaitingCalls {
  var calls: Int
  /// Of their arguments.
  var bytes: Int
  /// The error for a call that exceeds them.
  var error: BusError

  static func allowed(by settings: OpenLimits) -> Self {
    // An open that waits for its turn is not admitted yet.
    let calls = max(settings.maximumOpensPerCaller, 256)
    return Self(
      calls: calls, bytes: max(settings.maximumPendingBytes / 4, 1 << 20),
      error: OpenFailure.limitExceeded(
        "\(calls) calls of this caller, or their URLs with a quarter of MaximumPendingBytes, wait already, which is the"
          + " limit; see MaximumOpensPerCaller of the settings"
      ).busError)
  }
}
