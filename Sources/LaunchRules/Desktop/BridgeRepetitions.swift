/// The number of consecutive times that the bridge has passed a web URL to a browser.
///
/// A running browser takes the URL from the process that the bridge started. When the browser opens the URL
/// again, `BridgeHops` does not see the loop; only the same URL and a browser as opener indicate it. Only
/// delivered URLs are counted. Other schemes are not counted, because a user may click the same `mailto:`
/// link any number of times.
package struct BridgeRepetitions: Sendable {
  /// The limit, higher than a user opens one URL in a row.
  package static let most = 5
  /// In microseconds. A longer pause starts a new count.
  package static let pause: UInt64 = 10_000_000
  private static let mostURLs = 100

  private struct Row {
    var count: Int
    var last: UInt64
    var isTold = false
  }

  /// Counts by the hash of the URL.
  private var rows: [UInt64: Row] = [:]

  package init() {}

  /// Whether opens of the scheme by such a caller can form a loop: the program that receives the URL from the
  /// bridge may be the opener.
  package static func canLoop(_ scheme: URLScheme, _ finding: WebOrigin.Finding) -> Bool {
    scheme.isWeb && finding != .program
  }

  /// Counts a delivery of the URL.
  /// - Parameter now: monotonic time, in microseconds.
  package mutating func add(_ url: String, at now: UInt64) {
    rows = rows.filter { now - $0.value.last <= Self.pause }
    if rows.count >= Self.mostURLs, let oldest = rows.min(by: { $0.value.last < $1.value.last }) {
      rows[oldest.key] = nil
    }
    let hash = Self.hash(url)
    rows[hash, default: Row(count: 0, last: now)].count += 1
    rows[hash]?.last = now
  }

  /// Whether the URL was delivered so often that it must not be delivered now.
  package func isOver(_ url: String, at now: UInt64) -> Bool {
    guard let row = rows[Self.hash(url)], now - row.last <= Self.pause else { return false }
    return row.count >= Self.most
  }

  /// - Returns: whether the loop of this URL has not been reported so far.
  package mutating func tell(_ url: String) -> Bool {
    let hash = Self.hash(url)
    guard rows[hash]?.isTold == false else { return false }
    rows[hash]?.isTold = true
    return true
  }

  private static func hash(_ url: String) -> UInt64 {
    var hash = FNV1a()
    hash.add(url)
    return hash.value
  }
}
