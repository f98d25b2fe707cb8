/// The testbed itself cannot do its work, or something was left over at its end.
public struct TestbedFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence with the reason.
  public let description: String

  init(_ description: String) { self.description = description }
}
