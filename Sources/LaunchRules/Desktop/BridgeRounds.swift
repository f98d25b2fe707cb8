/// How often a URL of the web has gone from the bridge to a browser in a row.
///
/// A browser that runs already takes a URL from the process that the bridge has started. When the browser hands
/// the URL out again, nothing shows that the bridge had it before (`BridgeHops`) but that it is the same, and that a
/// browser opens it. Only URLs that were handed over count: what was refused did not go round. Other schemes do not
/// count: a person may click the same `mailto:` link as often as he likes.
package struct BridgeRounds: Sendable {
  /// More than a person opens one URL in a row.
  package static let most = 5
  /// In microseconds. What comes later than this begins a new row.
  package static let pause: UInt64 = 10_000_000
  private static let mostURLs = 100

  private struct Row {
    var count: Int
    var last: UInt64
    var isTold = false
  }

  /// By the hash of the URL.
  private var rows: [UInt64: Row] = [:]

  package init() {}

  /// Whether opens of the scheme by such a caller can be rounds: the program that the bridge hands the URL to may be
  /// the one that opens it.
  package static func mayGoRound(_ scheme: URLScheme, _ finding: WebOrigin.Finding) -> Bool {
    scheme.isWeb && finding != .program
  }

  /// The URL is handed over.
  /// - Parameter now: in microseconds, of a clock that never goes back.
  package mutating func add(_ url: String, at now: UInt64) {
    rows = rows.filter { now - $0.value.last <= Self.pause }
    if rows.count >= Self.mostURLs, let oldest = rows.min(by: { $0.value.last < $1.value.last }) {
      rows[oldest.key] = nil
    }
    let hash = Self.hash(url)
    rows[hash, default: Row(count: 0, last: now)].count += 1
    rows[hash]?.last = now
  }

  /// Whether the URL was handed over so often that it must not be again now.
  package func isOver(_ url: String, at now: UInt64) -> Bool {
    guard let row = rows[Self.hash(url)], now - row.last <= Self.pause else { return false }
    return row.count >= Self.most
  }

  /// - Returns: whether nobody was told yet that the URL goes round.
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
