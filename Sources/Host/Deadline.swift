internal import Dispatch

/// A moment at which something is done on the main actor, unless it is cancelled or dropped before.
@MainActor package final class Deadline {
  private let source: any DispatchSourceTimer

  /// `action` is called once, `delay` from now; a negative delay is none.
  package init(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
    source = DispatchSource.makeTimerSource(queue: .main)
    source.setEventHandler { MainActor.assumeIsolated { action() } }
    source.schedule(deadline: .now() + .nanoseconds(Self.nanoseconds(max(delay, .zero))))
    source.activate()
  }

  /// Later than this nothing is done; may be called again.
  package func cancel() { source.cancel() }

  isolated deinit { source.cancel() }

  /// Dispatch counts in nanoseconds, so a delay ends after 292 years.
  private static func nanoseconds(_ delay: Duration) -> Int {
    let (seconds, attoseconds) = delay.components
    guard seconds < Int64.max / 1_000_000_000 else { return .max }
    return Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
