internal import DBus
internal import Dispatch
internal import Glibc

/// The outgoing calls without a reply.
@MainActor struct OutgoingCalls {
  private struct Call {
    var expiry: UInt64?
    var completion: BusSession.Completion
  }

  private var calls: [UInt32: Call] = [:]
  /// The earliest deadline, in nanoseconds of uptime; it may be that of a call that was answered.
  private(set) var nextExpiry: UInt64?

  var isEmpty: Bool { calls.isEmpty }

  /// True when this call expires before all others.
  mutating func add(
    serial: UInt32, expiry: UInt64?, _ completion: @escaping BusSession.Completion
  ) -> Bool {
    calls[serial] = Call(expiry: expiry, completion: completion)
    guard let expiry, expiry < nextExpiry ?? .max else { return false }
    nextExpiry = expiry
    return true
  }

  mutating func remove(_ serial: UInt32) -> BusSession.Completion? {
    calls.removeValue(forKey: serial)?.completion
  }

  mutating func removeExpired(at now: UInt64) -> [BusSession.Completion] {
    let expired = calls.filter { ($0.value.expiry ?? .max) <= now }.sorted { $0.key < $1.key }
    for (serial, _) in expired { calls[serial] = nil }
    nextExpiry = calls.values.compactMap(\.expiry).min()
    return expired.map(\.value.completion)
  }

  mutating func removeAll() -> [BusSession.Completion] {
    defer { calls = [:] }
    return calls.sorted { $0.key < $1.key }.map(\.value.completion)
  }
}

extension Duration {
  /// Rounded down; negative durations are 0.
  package var nanoseconds: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

/// -1 when no descriptor is left.
func duplicate(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
