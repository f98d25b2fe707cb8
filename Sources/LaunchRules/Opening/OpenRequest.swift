/// An accepted open request. The payload is stored elsewhere; the rules need only its kind.
package struct OpenRequest: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case url
    /// Delivered only as a quick action, never as a URL (R5.22).
    case quickAction
    /// No payload: the application is launched or brought to the front (R6.15).
    case application
    /// A universal link (R5.20).
    case userActivity
  }

  package let id: RequestID
  package let kind: Kind
  /// Whether the request brings the application to the front (R5.35).
  package let activates: Bool
  /// Whether the previous daemon ended during the delivery. Only the process that received the request, and
  /// remembers its requests, may receive it again.
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

/// The number of a request. Numbers start at 1 and grow.
package struct RequestID: Hashable, Sendable, Comparable, ExpressibleByIntegerLiteral {
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
  package init(integerLiteral number: UInt64) { self.number = number }
  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A slot for a process of an application: the main one, or one per requested new instance (R5.33).
package struct InstanceSlot: Hashable, Sendable {
  package let application: BundleIdentifier
  /// 0 for the main slot.
  package let number: Int

  package init(_ application: BundleIdentifier, number: Int = 0) {
    self.application = application
    self.number = number
  }
}

/// One process of an application, from start to end. Values are never reused, so that a late event of a
/// former process cannot be confused with an event of its successor.
package struct InstanceID: Hashable, Sendable {
  package let slot: InstanceSlot
  package let ordinal: UInt64

  package init(_ slot: InstanceSlot, ordinal: UInt64) {
    self.slot = slot
    self.ordinal = ordinal
  }
}
