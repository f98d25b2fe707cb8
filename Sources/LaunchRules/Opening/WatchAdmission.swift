/// Decides whether one more connection may subscribe to events. One caller may use a quarter of the places;
/// the last quarter of all places is reserved for callers without one.
package enum WatchAdmission {
  /// - Parameters:
  ///   - ofCaller: number of subscribed connections of this caller.
  ///   - all: number of subscribed connections of all callers.
  ///   - most: maximum number.
  /// - Returns: nil when the connection may subscribe.
  package static func refusal(ofCaller: Int, all: Int, most: Int) -> OpenFailure? {
    let share = max(1, most / 4)
    guard ofCaller < share else {
      return .limitExceeded(
        "\(ofCaller) connections of this caller are subscribed already, a quarter of the limit of"
          + " \(most): close some of these connections")
    }
    guard ofCaller == 0 || all < most - share else {
      return .limitExceeded(
        "\(all) connections are subscribed already, and the last \(share) of \(most) are reserved"
          + " for callers without a subscription: close some connections, or try again later")
    }
    guard all < most else {
      return .limitExceeded(
        "\(most) connections are subscribed already, which is the limit: try again after some have closed"
      )
    }
    return nil
  }
}
