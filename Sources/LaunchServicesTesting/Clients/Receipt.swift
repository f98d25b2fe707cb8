package import BusContract
internal import LaunchRules

/// What an open that succeeded came to.
public struct Receipt: Codable, Hashable, Sendable {
  public struct Outcome: Codable, Hashable, Sendable {
    public enum Launch: String, Codable, Hashable, Sendable {
      case cold, warm
    }

    public enum Delivery: String, Codable, Hashable, Sendable {
      case delivered, vetoed, unacknowledged
    }

    /// Whether a process was started for it.
    public var launch: Launch
    public var delivery: Delivery
    /// What the handler answered.
    public var handled: Bool

    public init(_ launch: Launch, _ delivery: Delivery, handled: Bool) {
      self.launch = launch
      self.delivery = delivery
      self.handled = handled
    }
  }

  /// The number the daemon gave it; numbers grow in the order in which opens were accepted.
  public var request: UInt64
  /// The bundle identifier of the handler.
  public var handler: String
  public var outcome: Outcome
  /// The process of the handler; 0 when unknown.
  public var pid: Int32
  /// The states it went through.
  public var trail: [String]
  /// It is the receipt of an earlier request of the same name.
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
