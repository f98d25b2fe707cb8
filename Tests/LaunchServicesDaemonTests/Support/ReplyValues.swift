import DBus

@testable import LaunchServicesDaemon

extension Reply {
  /// The values of the answer, after all its work; nil when another component answers.
  func madeValues() async throws(BusError) -> [Value]? {
    switch self {
    case .values(let values), .answering(let values, _): return values
    case .inTurns(let step): return try Self.take(step)
    case .later(let work): return try await work()
    case .laterInTurns(let work): return try Self.take(await work())
    case .pending, .pendingInOrder: return nil
    case .pendingAfter(let work):
      try await work()
      return nil
    }
  }

  private static func take(_ step: Step) throws(BusError) -> [Value] {
    while true {
      if let values = try step() { return values }
    }
  }
}
