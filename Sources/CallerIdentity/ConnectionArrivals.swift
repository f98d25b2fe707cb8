internal import Host
internal import LaunchRules

/// The times at which connections were reported, and whether the process numbers may have been reused before.
struct ConnectionArrivals {
  private struct Arrival {
    /// In microseconds since the machine started.
    let time: UInt64
    /// Whether so many processes were started that a young process may have a reused number.
    let numbersAreReused: Bool
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
    return arrival.numbersAreReused
      && ProcessNumberHistory.isYoung(process.startedAt, at: arrival.time)
      && process.hasSocket == false
  }

  private static func arrival(_ numbers: inout ProcessNumberHistory) -> Arrival {
    let now = Time.microsecondsSinceBoot()
    let starts = ProcessNumbers.starts()
    defer { if let starts { numbers.add(starts, at: now) } }
    return Arrival(
      time: now,
      numbersAreReused: numbers.mayBeReused(
        connectionHeardOf: now, starts: starts, numbers: ProcessNumbers.limit()))
  }
}
