internal import Host
internal import LaunchRules

/// When connections were reported, and whether the numbers of their processes may have been reused before.
struct ConnectionArrivals {
  private struct Arrival {
    /// In microseconds since the machine started.
    let time: UInt64
    /// So many processes were started that the number of a young process may be a reused one.
    let numbersAreReused: Bool
  }

  private var arrivals: [String: Arrival] = [:]
  private var numbers = ProcessNumberHistory()
  /// The arrival of all connections that existed before the daemon.
  private let first: Arrival

  init() {
    var numbers = ProcessNumberHistory()
    first = Self.arrival(&numbers)
    self.numbers = numbers
  }

  mutating func add(_ connection: String) { arrivals[connection] = Self.arrival(&numbers) }

  mutating func remove(_ connection: String) { arrivals[connection] = nil }

  func time(of connection: String) -> UInt64 { (arrivals[connection] ?? first).time }

  /// Whether another process, which has ended, may have made the connection. A process with an open socket is accepted,
  /// because the socket may be that of the connection; so is a process whose descriptors cannot be read.
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
