/// A call that tests whether the other end of a connection answers at all, sent when a reply takes long.
package struct Probe {
  /// What the silence of the other end means.
  package enum Silence {
    /// The call waits on, and the probe is not sent again.
    case isReported
    /// The connection is broken, and the call fails with `Disconnected`. After each reply the probe is sent again.
    case endsCall
  }

  /// The duration of the call after which the probe is sent.
  let delay: Duration
  /// The timeout of the reply to the probe. Any reply counts, also an error.
  let patience: Duration
  let message: () -> Message
  let silence: Silence
  /// Called once when the probe times out.
  let onSilence: () -> Void

  package init(
    after delay: Duration, patience: Duration, _ message: @escaping () -> Message,
    silence: Silence = .isReported, onSilence: @escaping () -> Void
  ) {
    self.delay = delay
    self.patience = patience
    self.message = message
    self.silence = silence
    self.onSilence = onSilence
  }
}

/// A probe during one call.
struct RunningProbe {
  private enum State {
    case waiting(until: Instant)
    case sent(serial: UInt32, until: Instant)
    case over
  }

  private let probe: Probe?
  private var state: State
  /// Whether the call has failed, because the other end is silent.
  private(set) var hasEndedCall = false

  init(_ probe: Probe?) {
    self.probe = probe
    state = probe.map { .waiting(until: .now + $0.delay) } ?? .over
  }

  /// A reply has arrived to the message of this serial.
  mutating func hear(_ serial: UInt32) {
    guard case .sent(serial, _) = state, let probe else { return }
    state = probe.silence == .endsCall ? .waiting(until: .now + probe.delay) : .over
  }

  /// Sends the probe, or reports its timeout, when its time has come.
  /// - Returns: the milliseconds until the next step; nil when no step is left.
  mutating func step(on connection: Connection) -> Int32? {
    guard let probe else { return nil }
    if case .waiting(let end) = state, end <= .now {
      state = .sent(serial: connection.send(probe.message()), until: .now + probe.patience)
    }
    if case .sent(_, let end) = state, end <= .now {
      state = .over
      hasEndedCall = probe.silence == .endsCall
      probe.onSilence()
    }
    switch state {
    case .waiting(let end), .sent(_, let end):
      return max(1, Int32(clamping: Int(((end - .now) / .milliseconds(1)).rounded(.up))))
    case .over: return nil
    }
  }
}
