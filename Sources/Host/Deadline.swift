internal import Dispatch

/// A timer that calls an action once on the main actor, unless it is cancelled or released before.
///
/// The `deinit` is nonisolated: an isolated one would be queued when the last reference is released outside of
/// a task, as in a Dispatch handler, and the action could run before it.
package final class Deadline {
  private let timer: any DispatchSourceTimer

  /// Calls `action` after `delay`; a negative delay is treated as zero.
  /// - Parameter countsSuspension: whether the time in which the machine is suspended counts. The delay is then also
  ///   changed when the clock is set.
  package init(
    after delay: Duration, countsSuspension: Bool = false,
    _ action: @escaping @MainActor () -> Void
  ) {
    timer = DispatchSource.makeTimerSource(queue: .main)
    let time = DispatchTimeInterval.nanoseconds(Self.nanoseconds(max(delay, .zero)))
    if countsSuspension {
      timer.schedule(wallDeadline: .now() + time)
    } else {
      timer.schedule(deadline: .now() + time)
    }
    timer.setEventHandler { MainActor.assumeIsolated { action() } }
    timer.activate()
  }

  /// Cancels the timer. Later calls have no effect.
  package func cancel() { timer.cancel() }

  deinit { timer.cancel() }

  /// Dispatch counts nanoseconds in 64 bits, so a delay is at most 292 years.
  private static func nanoseconds(_ delay: Duration) -> Int {
    let (seconds, attoseconds) = delay.components
    guard seconds < Int64.max / 1_000_000_000 else { return .max }
    return Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
