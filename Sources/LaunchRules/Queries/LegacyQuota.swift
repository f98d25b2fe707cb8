/// The distinct schemes that an application linked before iOS 9 has queried (R3.8).
///
/// Counted schemes stay allowed when the quota is used up. A restart does not reset the quota; a different
/// version or property list, which changes the stamp, does.
package struct LegacyQuota: Hashable, Sendable {
  package static let limit = 50

  /// Version and property list of the counted application.
  package let stamp: String
  /// In order of the first query; at most `limit`.
  package private(set) var counted: [URLScheme] = []

  /// Restores a stored quota. Drops invalid schemes, duplicates and entries beyond the limit.
  package init(stamp: String, counted: [String] = []) {
    self.stamp = stamp
    for scheme in counted.compactMap(URLScheme.init) { _ = admit(scheme) }
  }

  /// Counts a scheme if it was not counted before.
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
