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
    let round = round(url, at: now)
    rows = rows.filter { now - $0.value.last <= Self.pause }
    if rows.count >= Self.mostURLs, let oldest = rows.min(by: { $0.value.last < $1.value.last }) {
      rows[oldest.key] = nil
    }
    rows[Self.hash(url)] = Row(count: round, last: now)
    return round
  }

  /// The round that an open of the URL would begin now.
  package func round(_ url: String, at now: UInt64) -> Int {
    guard let row = rows[Self.hash(url)], now - row.last <= Self.pause else { return 1 }
    return row.count + 1
  }

  private static func hash(_ url: String) -> UInt64 {
    var hash = FNV1a()
    hash.add(url)
    return hash.value
  }
}
