package import BusContract
internal import LaunchRules

/// The result of a successful open.
public struct Receipt: Codable, Hashable, Sendable {
  /// The launch of the handler, and the delivery of the URL.
  public struct Outcome: Codable, Hashable, Sendable {
    /// Whether a process was started for the open.
    public enum Launch: String, Codable, Hashable, Sendable {
      /// The daemon started a process for the open.
      case cold
      /// The process was running already.
      case warm
    }

    /// The state of the delivery.
    public enum Delivery: String, Codable, Hashable, Sendable {
      /// The handler acknowledged the delivery.
      case delivered
      /// A running desktop application, or a second process that forwards the URL, took the URL.
      case handedOver = "handed-over"
      /// A launch method returned false: the handler runs, but did not receive the URL.
      case vetoed
      /// The application was opened without the URL, which would have had no effect, because of the setting
      /// `CompletionSemantics`.
      case withoutURL = "without-url"
      /// The desktop application was started with the URL and says nothing, or the daemon did not wait for the
      /// delivery, because of the setting `CompletionSemantics`.
      case unacknowledged
    }

    /// Whether a process was started for the open.
    public var launch: Launch
    /// The state of the delivery.
    public var delivery: Delivery
    /// Whether the handler answered that it handled the URL.
    public var handled: Bool

    /// Creates an outcome, to compare with the outcome of a receipt.
    public init(_ launch: Launch, _ delivery: Delivery, handled: Bool) {
      self.launch = launch
      self.delivery = delivery
      self.handled = handled
    }
  }

  /// The number of the open; numbers increase in the order in which opens are accepted.
  public var request: UInt64
  /// The bundle identifier of the handler.
  public var handler: String
  /// The launch of the handler, and the delivery of the URL.
  public var outcome: Outcome
  /// The process of the handler; 0 when unknown.
  public var pid: Int32
  /// The states of the open, in order.
  public var trail: [String]
  /// Whether this is the receipt of an earlier request with the same request identifier.
  public var isRepeated = false
}

extension Receipt {
  package init?(_ receipt: BusContract.Receipt) {
    guard let launch = Outcome.Launch(rawValue: receipt.outcome.launch.rawValue),
      let delivery = Outcome.Delivery(rawValue: receipt.outcome.delivery.rawValue)
    else { return nil }
    request = receipt.request
    handler = receipt.handler
    outcome = Outcome(launch, delivery, handled: receipt.outcome.handled)
    pid = Int32(truncatingIfNeeded: receipt.pid)
    trail = receipt.trail.map(\.state)
    isRepeated = receipt.isRepeated
  }
}
