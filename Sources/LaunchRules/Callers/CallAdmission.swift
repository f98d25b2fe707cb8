/// Decides whether one more call may be queued, by the size of the calls of all callers that are queued already.
///
/// A group of callers leaves a part of the limit to others, as `NestedShares` says.
package struct CallAdmission: Sendable {
  /// Maximum total size of the arguments of the queued calls of all callers, in bytes. The last call may exceed it.
  private let most: Int

  /// Maximum size of the arguments of a call that a caller without queued calls may always make, in bytes.
  package static let little = 16 << 10

  /// - Parameter most: maximum total size of the arguments, in bytes; at least 32.
  package init(most: Int) { self.most = most }

  /// Whether a call may be queued without regard to its size.
  /// - Parameters:
  ///   - ofGroups: size of the arguments of the queued calls of each group that the caller belongs to, in bytes,
  ///     outermost first. The last one is that of the caller.
  ///   - all: the same size of all callers.
  package func hasRoom(ofGroups: @autoclosure () -> [Int], all: Int) -> Bool {
    // The usual case, without a look at the groups.
    guard all > most / 32 else { return true }
    return NestedShares.full(to: ofGroups(), all: all, most: most) { free in free - free / 8 }
      == nil
  }
}
