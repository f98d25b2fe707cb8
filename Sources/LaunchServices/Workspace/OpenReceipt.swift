internal import BusContract
internal import LaunchRules

/// The result of an open.
public struct OpenReceipt: Hashable, Sendable {
  /// Whether the handler's process was started for the URL.
  public enum Launch: Hashable, Sendable {
    /// The daemon started a process for the URL.
    case cold
    /// The handler's process was running already.
    case warm
  }

  /// What is known about the delivery of the URL.
  public enum Delivery: Hashable, Sendable {
    /// The handler received the URL and acknowledged it.
    case delivered
    /// A launch method returned false: the handler runs, but did not receive the URL (R5.7).
    case vetoed
    /// The application was opened without the URL, which would have had no effect, because of the setting
    /// `CompletionSemantics` (R4.3).
    case withoutURL
    /// A running program of the desktop, or a second process of the program that forwards the URL, took the URL. Such
    /// a program does not say what it does with the URL. The trail names the way, such as `arguments`.
    case handedOver
    /// The handler was started with the URL and says nothing, or the daemon did not wait for the delivery (R4.3).
    case unacknowledged
  }

  /// A state that the request entered.
  public struct Step: Hashable, Sendable {
    /// The name of the state, such as `delivering`.
    public let state: String
    /// When the request entered the state, on the monotonic clock; only differences are meaningful.
    public let time: Duration
  }

  /// The number of the request.
  public let request: UInt64
  /// The handler's bundle identifier; empty when the opener is an iOS application, which may know the result
  /// but not the handler.
  public let handler: String
  /// `warm` when the opener is an iOS application.
  public let launch: Launch
  /// What is known about the delivery of the URL.
  public let delivery: Delivery
  /// Whether the handler's method returned true (R5.9).
  public let isHandled: Bool
  /// The PID of the handler's process; nil when unknown.
  public let processIdentifier: Int32?
  /// The states that the request entered, in order.
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
      case .handedOver: .handedOver
      case .vetoed: .vetoed
      case .withoutURL: .withoutURL
      case .unacknowledged: .unacknowledged
      }
    isHandled = receipt.outcome.handled
    processIdentifier = receipt.pid == 0 ? nil : Int32(truncatingIfNeeded: receipt.pid)
    trail = receipt.trail.map { Step(state: $0.state, time: .microseconds($0.microseconds)) }
  }
}
