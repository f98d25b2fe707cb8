internal import DBus
internal import DBusMainLoop
internal import Dispatch

/// Calls beyond the limits for queued calls. They are answered with an error, a limited number at a time,
/// because the bus forwards calls faster than it accepts replies, and only when few bytes are unwritten, because the
/// answers to other callers wait behind them.
final class Refusals {
  private struct Refused {
    let name: BusName
    let session: BusSession
    let error: BusError
    var serials: FirstInFirstOut<UInt32>
  }

  private var refused: [String: Refused] = [:]
  private var count = 0
  private var isDue = false

  /// Error replies per step, for all callers together.
  private static let mostAtOnce = 64
  private static let pause: DispatchTimeInterval = .milliseconds(5)
  /// Maximum number of stored refusals. Calls beyond it get no reply.
  private static let most = 1 << 20

  func add(_ call: PendingCall, _ error: BusError, on session: BusSession) {
    defer { call.abandon() }
    guard let serial = call.serialOfReply, count < Self.most else { return }
    if refused[call.sender] == nil {
      guard let name = BusName(call.sender) else { return }
      refused[call.sender] = Refused(
        name: name, session: session, error: error, serials: FirstInFirstOut())
    }
    refused[call.sender]?.serials.append(serial)
    count += 1
    answerSoon()
  }

  /// Removes the stored refusals of a caller that has disconnected.
  func remove(_ caller: String) {
    count -= refused.removeValue(forKey: caller)?.serials.count ?? 0
  }

  /// Answers after a pause. Called when refusals are stored, and when a connection may have room for more replies.
  func answerSoon() {
    guard !isDue, !refused.isEmpty else { return }
    isDue = true
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
      MainActor.assumeIsolated {
        self?.isDue = false
        if self?.answerSome() == true { self?.answerSoon() }
      }
    }
  }

  /// Sends the error replies of one step.
  /// - Returns: whether more can be sent now. Otherwise an exchange of messages makes room first.
  @discardableResult
  func answerSome() -> Bool {
    let share = max(1, Self.mostAtOnce / max(1, refused.count))
    var rest = Self.mostAtOnce
    for caller in Array(refused.keys) where rest > 0 {
      for _ in 0..<share {
        guard var entry = refused[caller], Self.hasRoom(entry.session) else { break }
        refused[caller] = nil  // avoids a copy of the serials on write
        if let serial = entry.serials.removeFirst() {
          entry.session.send(.reply(to: entry.name, serial: serial, entry.error))
          count -= 1
          rest -= 1
        }
        if !entry.serials.isEmpty { refused[caller] = entry }
      }
    }
    return refused.values.contains { Self.hasRoom($0.session) }
  }

  private static func hasRoom(_ session: BusSession) -> Bool {
    session.unwrittenBytes <= CallLimits.mostUnwrittenForRefusals
  }
}
