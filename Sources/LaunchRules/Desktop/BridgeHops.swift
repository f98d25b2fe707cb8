/// How often a URL has gone from the bridge to a desktop application and, out of a process of that,
/// back to the bridge: scheme and count, as a variable that the bridge gives to what it starts.
///
/// A program that forges it may be refused, or go round some times more.
package struct BridgeHops: Hashable, Sendable {
  package static let variable = "LAUNCH_SERVICES_BRIDGED"
  /// More than an honest chain of programs needs, such as a terminal in a terminal.
  package static let most = 5

  package let scheme: URLScheme
  package let count: Int

  package init(_ scheme: URLScheme, count: Int) {
    self.scheme = scheme
    self.count = count
  }

  /// Nil when the text is none.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let scheme = URLScheme(String(parts[0])), let count = Int(parts[1]),
      count > 0
    else { return nil }
    self.init(scheme, count: min(count, Self.most))
  }

  package var text: String { "\(scheme) \(count)" }

  /// The round that begins with an open of `scheme` by a process that has the variable, or has not.
  package static func next(_ scheme: URLScheme, after earlier: BridgeHops?) -> Int {
    guard let earlier, earlier.scheme == scheme else { return 1 }
    return earlier.count + 1
  }
}
