/// The result of a successful open request.
package struct OpenOutcome: Hashable, Sendable {
  /// Whether a process was started for the request.
  package enum Launch: String, Hashable, Sendable {
    case cold
    case warm
  }

  package enum Delivery: String, Hashable, Sendable {
    /// The handler has acknowledged the request.
    case delivered
    /// The launch methods of the handler returned false: the URL was dropped, but the application runs
    /// (R5.7).
    case vetoed
    /// With Apple's completion in the settings: the application was invoked, and its answer was not awaited
    /// (R4.3).
    case unacknowledged
  }

  package var launch: Launch
  package var delivery: Delivery
  /// The return value of the handler's method; the opener may ignore it (R5.9).
  package var handled: Bool

  package init(_ launch: Launch, _ delivery: Delivery, handled: Bool) {
    self.launch = launch
    self.delivery = delivery
    self.handled = handled
  }
}
