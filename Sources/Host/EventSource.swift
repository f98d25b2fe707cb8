internal import Dispatch
internal import Glibc

/// Calls on the main actor when something is the case; never again once it is cancelled or dropped.
///
/// It is cancelled by a plain `deinit`. An isolated one would wait its turn whenever the last holder
/// lets go outside of a task, as in a Dispatch handler, and a call could slip in before.
final class EventSource {
  private let source: any DispatchSourceProtocol

  /// Calls whenever `descriptor` is readable, and closes it in the end.
  init(
    readable descriptor: consuming Descriptor, _ action: @escaping @MainActor () -> Void
  ) {
    let number = descriptor.release()
    source = DispatchSource.makeReadSource(fileDescriptor: number, queue: .main)
    // Dispatch must be done with a descriptor before it is closed.
    source.setCancelHandler { close(number) }
    start(action)
  }

  /// Calls once, `delay` from now.
  init(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + .nanoseconds(Self.nanoseconds(max(delay, .zero))))
    source = timer
    start(action)
  }

  func cancel() { source.cancel() }

  deinit { source.cancel() }

  private func start(_ action: @escaping @MainActor () -> Void) {
    source.setEventHandler { MainActor.assumeIsolated { action() } }
    source.activate()
  }

  /// Dispatch counts in nanoseconds, so a delay ends after 292 years.
  private static func nanoseconds(_ delay: Duration) -> Int {
    let (seconds, attoseconds) = delay.components
    guard seconds < Int64.max / 1_000_000_000 else { return .max }
    return Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
