/// Whether the number of a process may have belonged to another process when a connection to the bus was made.
///
/// The bus notes the number when the connection is made, and tells of the connection when it says Hello, which may be
/// minutes later. A process can make connections, leave them to another process and end: when its number is used again
/// before the Hello, the connection looks like that of the new process. A number is used again only after so many
/// processes and threads as there are numbers.
package struct ProcessNumberHistory: Sendable {
  private struct Sample {
    /// In microseconds since the machine started.
    var time: UInt64
    /// The processes and threads that were started until then.
    var starts: UInt64
  }

  /// Oldest first. Those that are older than `window` have gone but for the last of them.
  private var samples: [Sample] = []

  /// How long a session bus waits for a Hello, in microseconds (`auth_timeout` of session.conf).
  package static let window: UInt64 = 240_000_000
  /// In microseconds.
  private static let pause: UInt64 = 10_000_000
  /// Numbers that the kernel leaves out when it begins again.
  private static let reserved: UInt64 = 300

  package init() {}

  /// Whether `add` would do something.
  package func isDue(at time: UInt64) -> Bool {
    samples.last.map { time >= $0.time + Self.pause } ?? true
  }

  package mutating func add(_ starts: UInt64, at time: UInt64) {
    guard isDue(at: time) else { return }
    samples.append(Sample(time: time, starts: starts))
    while samples.count > 1, samples[1].time + Self.window <= time { samples.removeFirst() }
  }

  /// Whether a process is young enough for its number to be another's before; else nothing more is to be known.
  /// - Parameters:
  ///   - started: when the process started.
  ///   - arrival: when the bus told of the connection.
  package static func isYoung(_ started: UInt64, at arrival: UInt64) -> Bool {
    started + window > arrival
  }

  /// Whether the number of a young process may have been used again since the connection was made that is heard of
  /// now.
  /// - Parameters:
  ///   - starts: the processes and threads that were started until now; nil when nobody says.
  ///   - numbers: how many numbers there are (`kernel.pid_max`); nil when nobody says.
  package func mayBeReused(
    connectionHeardOf arrival: UInt64, starts: UInt64?, numbers: UInt64?
  ) -> Bool {
    guard let starts, let numbers else { return true }
    // Nobody has counted before the first sample.
    let before = samples.last { $0.time + Self.window <= arrival }?.starts ?? 0
    return starts - min(before, starts) + Self.reserved >= numbers
  }
}
