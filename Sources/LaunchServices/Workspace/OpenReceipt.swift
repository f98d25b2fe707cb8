internal import BusContract
internal import LaunchRules

/// The outcome of an open.
public struct OpenReceipt: Hashable, Sendable {
  public enum Launch: Hashable, Sendable {
    /// The daemon started a process for the URL.
    case cold
    case warm
  }

  public enum Delivery: Hashable, Sendable {
    case delivered
    /// A launch method returned false: the handler runs, but did not receive the URL (R5.7).
    case vetoed
    /// The handler was started, and the daemon did not wait for the delivery (R4.3).
    case unacknowledged
  }

  /// A state that the request entered.
  public struct Step: Hashable, Sendable {
    public let state: String
    /// On the monotonic clock; only differences are meaningful.
    public let time: Duration
  }

  /// The number of the request.
  public let request: UInt64
  /// The handler's bundle identifier.
  public let handler: String
  public let launch: Launch
  public let delivery: Delivery
  /// Whether the handler's method returned true (R5.9).
  public let isHandled: Bool
  /// Nil when unknown.
  public let processIdentifier: Int32?
  public let trail: [Step]
}

extension OpenReceipt {
  init(_ receipt: Receipt) {
    request = receipt.request
    handler = receipt.handler
    launch =
      switch receipt.outcome.launch {
      case .cold: .cold
      case .warm: .warm
      }
    delivery =
      switch receipt.outcome.delivery {
      case .delivered: .delivered
      case .vetoed: .vetoed
      case .unacknowledged: .unacknowledged
      }
    isHandled = receipt.outcome.handled
    processIdentifier = receipt.pid == 0 ? nil : Int32(truncatingIfNeeded: receipt.pid)
    trail = receipt.trail.map { Step(state: $0.state, time: .microseconds($0.microseconds)) }
  }
}
