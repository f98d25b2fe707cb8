/// Decides whether one more connection may subscribe to events.
///
/// One caller may use an eighth of the places. The callers of one group, such as the descendants of one process,
/// may together use three quarters of what the others of the surrounding group leave free; below a quarter of the
/// limit, all but one place of that. All places surround the outermost group. So many processes of one program do
/// not keep another program of the user from subscribing, however many parent processes they share.
package struct WatchAdmission: Sendable {
  /// Maximum number of subscribed connections of all callers.
  private let most: Int

  /// - Parameter most: maximum number of subscribed connections of all callers; at least 1.
  package init(most: Int) { self.most = most }

  /// Maximum number of subscribed connections of one caller.
  package var mostOfCaller: Int { max(1, most / 8) }

  /// - Parameters:
  ///   - ofCaller: number of subscribed connections of this caller.
  ///   - ofGroups: number of subscribed connections of each group that the caller belongs to, outermost first.
  ///   - all: number of subscribed connections of all callers.
  /// - Returns: nil when the connection may subscribe.
  package func refusal(ofCaller: Int, ofGroups: [Int], all: Int) -> OpenFailure? {
    guard ofCaller < mostOfCaller else {
      return .limitExceeded(
        "\(ofCaller) connections of this caller are subscribed already, an eighth of the limit of"
          + " \(most): close some of these connections")
    }
    guard all < most else {
      return .limitExceeded(
        "\(most) connections are subscribed already, which is the limit: try again after some have closed"
      )
    }
    let full = NestedShares.full(to: ofGroups, all: all, most: most) { free in
      max(Self.least, min(free - 1, max(free * 3 / 4, most / 4)))
    }
    return full.map { full in
      .limitExceeded(
        "\(full.used) connections of this caller and of others of one application, unit or parent process are"
          + " subscribed already, and the other programs of the user leave \(full.places) of the limit of \(most)"
          + " for them: close some of these connections")
    }
  }

  /// The places of a group that is deep below others.
  private static let least = 4
}
