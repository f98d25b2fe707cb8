/// One accepted open request. What it carries stays outside; the rules only need its kind.
package struct OpenRequest: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case url
    /// Delivered only through the quick-action path, never as a URL (R5.22).
    case quickAction
    /// Only the application itself: it is launched, or brought to the front (R6.15).
    case application
    /// A universal link (R5.20).
    case userActivity
  }

  package let id: RequestID
  package let kind: Kind
  /// It brings the application to the front (R5.35).
  package let activates: Bool
  /// The daemon before this one ended while it handed it over. Only the process that was given it,
  /// and remembers what it was given, may be given it again.
  package let mayHaveArrived: Bool

  package init(
    _ id: RequestID, _ kind: Kind = .url, activates: Bool = true, mayHaveArrived: Bool = false
  ) {
    self.id = id
    self.kind = kind
    self.activates = activates
    self.mayHaveArrived = mayHaveArrived
  }
}

/// Numbers the requests of one run of the daemon, from 1.
package struct RequestID: Hashable, Sendable, Comparable, ExpressibleByIntegerLiteral {
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
  package init(integerLiteral number: UInt64) { self.number = number }
  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// One of the places where an application may run: the main one, or one more for each new
/// instance that was asked for (R5.33).
package struct InstanceSlot: Hashable, Sendable {
  package let application: BundleIdentifier
  /// 0 is the main one.
  package let number: Int

  package init(_ application: BundleIdentifier, number: Int = 0) {
    self.application = application
    self.number = number
  }
}

/// One process of an application, from its start to its end. Never used twice, so that an event of
/// an old process cannot be taken for one of its successor.
package struct InstanceID: Hashable, Sendable {
  package let slot: InstanceSlot
  package let ordinal: UInt64

  package init(_ slot: InstanceSlot, ordinal: UInt64) {
    self.slot = slot
    self.ordinal = ordinal
  }
}
