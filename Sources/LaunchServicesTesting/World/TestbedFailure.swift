/// The testbed cannot work, or processes were left over at its end.
public struct TestbedFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence with the reason.
  public let description: String

  init(_ description: String) { self.description = description }
}
