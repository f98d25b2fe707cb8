internal import Host
internal import LaunchRules

/// The times at which connections were reported, and how many processes had been started before they were made.
///
/// An arrival costs no system call but the time, because the bus may report thousands of connections in a second.
struct ConnectionArrivals {
  private struct Arrival {
    /// In microseconds since the machine started.
    let time: UInt64
    /// Number of processes and threads started before the connection can have been made.
    let startsBefore: UInt64
  }

  private var arrivals: [String: Arrival] = [:]
  private var numbers = ProcessNumberHistory()
  /// The common arrival of all connections from before the start of the daemon.
  private let first: Arrival

  init() {
    var numbers = ProcessNumberHistory()
    first = Self.arrival(&numbers)
    self.numbers = numbers
  }

  mutating func add(_ connection: String) { arrivals[connection] = Self.arrival(&numbers) }

  mutating func remove(_ connection: String) { arrivals[connection] = nil }

  func time(of connection: String) -> UInt64 { (arrivals[connection] ?? first).time }

  /// Whether the connection may have been made by another process that has ended. Returns false for a process
  /// with an open socket, because the socket may be that of the connection, and for a process with unreadable
  /// descriptors.
  func mayBeOfAnother(_ connection: String, _ process: ProcessDetails) -> Bool {
    let arrival = arrivals[connection] ?? first
    return ProcessNumberHistory.isYoung(process.startedAt, at: arrival.time)
      && process.hasSocket == false
      && ProcessNumberHistory.mayBeReused(
        startsBefore: arrival.startsBefore, starts: ProcessNumbers.starts(),
        numbers: ProcessNumbers.limit())
  }

  private static func arrival(_ numbers: inout ProcessNumberHistory) -> Arrival {
    let now = Time.microsecondsSinceBoot()
    let before = numbers.startsBefore(connectionHeardOf: now)
    if numbers.isDue(at: now), let starts = ProcessNumbers.starts() {
      numbers.add(starts, at: now)
    }
    return Arrival(time: now, startsBefore: before)
  }
}
