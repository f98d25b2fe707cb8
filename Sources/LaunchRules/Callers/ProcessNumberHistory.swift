/// Decides whether the process number of a bus connection may have belonged to another process when the
/// connection was made.
///
/// The bus stores the process number when a connection is made, but reports the connection only after its
/// Hello, which may come minutes later. A process can make connections, pass them to another process and end.
/// If its number is reused before the Hello, the connection appears to belong to the new process. The kernel
/// reuses a number only after it has used all other numbers for processes and threads.
package struct ProcessNumberHistory: Sendable {
  private struct Sample {
    /// Microseconds since boot.
    var time: UInt64
    /// Number of processes and threads started until then.
    var starts: UInt64
  }

  /// Oldest first. Of the samples older than `window`, only the last one is kept.
  private var samples: [Sample] = []

  /// Time that a session bus waits for a Hello, in microseconds (`auth_timeout` of session.conf).
  package static let window: UInt64 = 240_000_000
  /// Minimum time between samples, in microseconds.
  private static let pause: UInt64 = 10_000_000
  /// Numbers that the kernel skips when it starts over.
  private static let reserved: UInt64 = 300

  package init() {}

  /// Whether `add` would store a sample.
  package func isDue(at time: UInt64) -> Bool {
    samples.last.map { time >= $0.time + Self.pause } ?? true
  }

  package mutating func add(_ starts: UInt64, at time: UInt64) {
    guard isDue(at: time) else { return }
    samples.append(Sample(time: time, starts: starts))
    while samples.count > 1, samples[1].time + Self.window <= time { samples.removeFirst() }
  }

  /// Whether the process is so young that its number may have been used by another process before. Only then
  /// `mayBeReused` matters.
  /// - Parameters:
  ///   - started: start time of the process.
  ///   - arrival: time when the bus reported the connection.
  package static func isYoung(_ started: UInt64, at arrival: UInt64) -> Bool {
    started + window > arrival
  }

  /// The number of processes and threads started before a connection can have been made; 0 without a sample.
  /// - Parameter arrival: time when the bus reported the connection.
  package func startsBefore(connectionHeardOf arrival: UInt64) -> UInt64 {
    samples.last { $0.time + Self.window <= arrival }?.starts ?? 0
  }

  /// Whether the number of a young process may have been reused since a connection was made.
  /// - Parameters:
  ///   - before: number of processes and threads started before the connection was made.
  ///   - starts: number of them started until the bus reported the connection, or later; nil when unknown.
  ///   - numbers: number of available process numbers (`kernel.pid_max`); nil when unknown.
  package static func mayBeReused(startsBefore before: UInt64, starts: UInt64?, numbers: UInt64?)
    -> Bool
  {
    guard let starts, let numbers else { return true }
    return starts - min(before, starts) + reserved >= numbers
  }
}
