/// What became of an open request that succeeded.
package struct OpenOutcome: Hashable, Sendable {
  /// Whether a process was started for it.
  package enum Launch: String, Hashable, Sendable {
    case cold
    case warm
  }

  package enum Delivery: String, Hashable, Sendable {
    /// The handler has it and has said so.
    case delivered
    /// The handler's launch methods said no: the URL was dropped, yet the application runs (R5.7).
    case vetoed
    /// The settings ask for Apple's completion: the application was invoked, and nobody waited to
    /// hear what became of the URL (R4.3).
    case unacknowledged
  }

  package var launch: Launch
  package var delivery: Delivery
  /// What the handler's own method returned; the opener may ignore it (R5.9).
  package var handled: Bool

  package init(_ launch: Launch, _ delivery: Delivery, handled: Bool) {
    self.launch = launch
    self.delivery = delivery
    self.handled = handled
  }
}
