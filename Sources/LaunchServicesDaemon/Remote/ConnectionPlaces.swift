internal import Host
internal import LaunchRules

/// The places for connections to machines. Each machine has places of its own, so that one that does not answer takes none
/// from the others; a call waits for a place for a limited time.
final class ConnectionPlaces {
  private struct Waiting {
    let number: UInt64
    let limit: Deadline
    let continuation: CheckedContinuation<UnsentReason?, Never>
  }

  private struct Places {
    var used = 0
    /// In order of arrival.
    var waiting: [Waiting] = []
  }

  private let patience: Duration
  private var machines: [String: Places] = [:]

  /// Maximum number of connections to one machine at the same time.
  static let most = 4

  /// - Parameter patience: the time for which a call waits for a place.
  init(patience: Duration = .seconds(60)) { self.patience = patience }

  /// Takes a place. `leave` gives the place back.
  /// - Parameter number: of the call, for `giveUp`.
  /// - Returns: nil when the call has a place; otherwise why there is none.
  func enter(_ machine: String, _ number: UInt64) async -> UnsentReason? {
    guard machines[machine, default: Places()].used >= Self.most else {
      machines[machine, default: Places()].used += 1
      return nil
    }
    return await withCheckedContinuation { continuation in
      let limit = Deadline(after: patience) { [weak self] in self?.giveUp(number) }
      machines[machine]?.waiting.append(
        Waiting(number: number, limit: limit, continuation: continuation))
    }
  }

  func leave(_ machine: String) {
    guard var places = machines[machine] else { return }
    if places.waiting.isEmpty {
      places.used -= 1
      machines[machine] = places.used == 0 ? nil : places
    } else {
      let next = places.waiting.removeFirst()
      machines[machine] = places
      next.limit.cancel()
      next.continuation.resume(returning: nil)
    }
  }

  /// Ends the wait of a call. Has no effect on a call that has a place.
  func giveUp(_ number: UInt64) {
    for machine in machines.keys {
      guard let index = machines[machine]?.waiting.firstIndex(where: { $0.number == number }),
        let waiting = machines[machine]?.waiting.remove(at: index)
      else { continue }
      waiting.limit.cancel()
      waiting.continuation.resume(
        returning: .busy(connections: Self.most, seconds: Int(patience.components.seconds)))
    }
  }
}
