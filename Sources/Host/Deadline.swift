internal import Dispatch

/// A moment at which something is done on the main actor, unless it is cancelled or dropped before.
///
/// It is cancelled by a plain `deinit`. An isolated one would wait its turn whenever the last holder
/// lets go outside of a task, as in a Dispatch handler, and a call could slip in before.
package final class Deadline {
  private let timer: any DispatchSourceTimer

  /// `action` is called once, `delay` from now; a negative delay is none.
  package init(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + .nanoseconds(Self.nanoseconds(max(delay, .zero))))
    timer.setEventHandler { MainActor.assumeIsolated { action() } }
    timer.activate()
  }

  /// From now on nothing is done; may be called again.
  package func cancel() { timer.cancel() }

  deinit { timer.cancel() }

  /// Dispatch counts in nanoseconds, so a delay ends after 292 years.
  private static func nanoseconds(_ delay: Duration) -> Int {
    let (seconds, attoseconds) = delay.components
    guard seconds < Int64.max / 1_000_000_000 else { return .max }
    return Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
