internal import Host
internal import LaunchRules

/// When it was heard of connections, and whether the numbers of their processes can have been used again before.
struct ConnectionArrivals {
  private struct Arrival {
    /// In microseconds since the machine started.
    let time: UInt64
    /// So many processes have been started that the number of a young process may have been another's.
    let numbersAreReused: Bool
  }

  private var arrivals: [String: Arrival] = [:]
  private var numbers = ProcessNumberHistory()
  /// Of all connections that were there before.
  private let first: Arrival

  init() {
    var numbers = ProcessNumberHistory()
    first = Self.arrival(&numbers)
    self.numbers = numbers
  }

  mutating func add(_ connection: String) { arrivals[connection] = Self.arrival(&numbers) }

  mutating func remove(_ connection: String) { arrivals[connection] = nil }

  func time(of connection: String) -> UInt64 { (arrivals[connection] ?? first).time }

  /// Whether the process that made the connection may have been another one, which has ended. A process that has a
  /// socket open is believed, which may be that of the connection; so is one of which the kernel does not say that.
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
