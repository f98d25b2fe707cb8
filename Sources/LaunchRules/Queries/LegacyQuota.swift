/// The distinct schemes an application linked before iOS 9 has asked about (R3.8).
///
/// Schemes already counted stay allowed when the quota is used up. Restarting does not reset it; another version or
/// another property list does, which shows in the stamp.
package struct LegacyQuota: Hashable, Sendable {
  package static let limit = 50

  /// Version and property list of the application that was counted.
  package let stamp: String
  /// In the order in which they were first asked about; at most `limit`.
  package private(set) var counted: [URLScheme] = []

  /// Restores a stored quota. What is not a scheme, stands there twice or is beyond the limit is
  /// left out.
  package init(stamp: String, counted: [String] = []) {
    self.stamp = stamp
    for scheme in counted.compactMap(URLScheme.init) { _ = admit(scheme) }
  }

  /// Counts a scheme that was not counted yet.
  package mutating func admit(_ scheme: URLScheme) -> Verdict {
    if counted.contains(scheme) { return .alreadyCounted }
    guard counted.count < Self.limit else { return .exceeded }
    counted.append(scheme)
    return .counted
  }

  package enum Verdict: Hashable, Sendable {
    case counted
    case alreadyCounted
    case exceeded
  }
}
