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
        "\(ofCaller) connections of this caller are told of this already, a quarter of the limit of \(most):"
          + " close some")
    }
    guard ofCaller == 0 || all < most - share else {
      return .limitExceeded(
        "\(all) connections are told of this already, and the last \(share) of \(most) are for callers that have"
          + " none: close some, or try again later")
    }
    guard all < most else {
      return .limitExceeded(
        "\(most) connections are told of this already, which is the limit: try again when some have gone"
      )
    }
    return nil
  }
}
