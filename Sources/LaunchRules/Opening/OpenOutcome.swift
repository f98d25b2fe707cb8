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
    /// The application was opened without the URL, which would have had no effect, because of Apple's completion in the
    /// settings (R4.3).
    case withoutURL = "without-url"
    /// A running program, or a second process of the program that forwards the URL, took the URL. Such a program does
    /// not say what it does with the URL.
    case handedOver = "handed-over"
    /// Nothing is known but that the program was started with the URL and runs. Or, with Apple's completion in
    /// the settings: the application was invoked, and its answer was not awaited (R4.3).
    case unacknowledged
  }

  package var launch: Launch
  package var delivery: Delivery
  /// The return value of the handler's method; the opener may ignore it (R5.9).
  package var handled: Bool
  /// The way by which another program got the URL; nil when the handler itself has received it. See `HandOver`.
  package var way: String?
  /// The process that took the URL, when the result depends on whether this process goes on running.
  package var owner: HandOver.Owner?
  /// The number of the process that got the URL, 0 when it is unknown; nil for the process of the handler.
  package var process: Int32?

  /// See `HandOver.exitStatus`.
  package var exitStatus: Int32?

  package init(_ launch: Launch, _ delivery: Delivery, handled: Bool) {
    self.launch = launch
    self.delivery = delivery
    self.handled = handled
  }
}
