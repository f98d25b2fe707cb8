/// A moment at which something is done on the main actor, unless it is cancelled or dropped before.
@MainActor package final class Deadline {
  private let source: EventSource

  /// `action` is called once, `delay` from now; a negative delay is none.
  package init(after delay: Duration, _ action: @escaping @MainActor () -> Void) {
    source = EventSource(after: delay, action)
  }

  /// From now on nothing is done; may be called again.
  package func cancel() { source.cancel() }
}
