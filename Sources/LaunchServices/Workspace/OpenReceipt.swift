internal import BusContract
internal import LaunchRules

/// What became of a URL that was opened.
public struct OpenReceipt: Hashable, Sendable {
  public enum Launch: Hashable, Sendable {
    /// A process was started for the URL.
    case cold
    case warm
  }

  public enum Delivery: Hashable, Sendable {
    case delivered
    /// The handler's launch methods said no: it runs, but never saw the URL (R5.7).
    case vetoed
    /// The handler was started, and nobody waited to hear more (R4.3).
    case unacknowledged
  }

  /// One step of the request's way.
  public struct Step: Hashable, Sendable {
    public let state: String
    /// On the monotonic clock, so only differences mean something.
    public let time: Duration
  }

  /// Numbers the requests of one run of the daemon.
  public let request: UInt64
  /// The handler's bundle identifier.
  public let handler: String
  public let launch: Launch
  public let delivery: Delivery
  /// What the handler's own method returned (R5.9).
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
