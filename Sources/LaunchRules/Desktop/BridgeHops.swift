/// The number of times that a URL was passed from the bridge to a desktop application and back, with its
/// scheme. The bridge passes this value to its child processes in an environment variable.
///
/// A program that forges the variable can only cause a refusal, or some additional passes.
package struct BridgeHops: Hashable, Sendable {
  package static let variable = "LAUNCH_SERVICES_BRIDGED"
  /// The limit, higher than legitimate chains of programs need, such as a terminal in a terminal.
  package static let most = 5

  package let scheme: URLScheme
  package let count: Int

  package init(_ scheme: URLScheme, count: Int) {
    self.scheme = scheme
    self.count = count
  }

  /// Nil when the text is not a valid value.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let scheme = URLScheme(String(parts[0])), let count = Int(parts[1]),
      count > 0
    else { return nil }
    self.init(scheme, count: min(count, Self.most))
  }

  package var text: String { "\(scheme) \(count)" }

  /// The number of the pass that begins with an open of `scheme` by a process with this variable, or without
  /// it.
  package static func next(_ scheme: URLScheme, after earlier: BridgeHops?) -> Int {
    guard let earlier, earlier.scheme == scheme else { return 1 }
    return earlier.count + 1
  }
}
