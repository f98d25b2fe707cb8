/// How often a URL has come to the bridge in a row.
///
/// A browser that runs already takes a URL from the process that the bridge has started. When it hands
/// the URL out again, nothing shows that the bridge had it before (`BridgeHops`) but that it is the same.
package struct BridgeRounds: Sendable {
  /// More than a person opens one URL in a row.
  package static let most = 5
  /// In microseconds. What comes later than this begins a new row.
  package static let pause: UInt64 = 10_000_000
  private static let mostURLs = 100

  private struct Row {
    var count: Int
    var last: UInt64
  }

  /// By the hash of the URL.
  private var rows: [UInt64: Row] = [:]

  package init() {}

  /// The round that begins now, 1 for the first.
  /// - Parameter now: in microseconds, of a clock that never goes back.
  package mutating func next(_ url: String, at now: UInt64) -> Int {
    var hash = FNV1a()
    hash.add(url)
    rows = rows.filter { now - $0.value.last <= Self.pause }
    let count = (rows[hash.value]?.count ?? 0) + 1
    if rows.count >= Self.mostURLs, let oldest = rows.min(by: { $0.value.last < $1.value.last }) {
      rows[oldest.key] = nil
    }
    rows[hash.value] = Row(count: count, last: now)
    return count
  }
}
