/// How often URLs were passed from the bridge to a desktop application and back: those of the last scheme in a row, and
/// those of all schemes. The bridge passes this value to its child processes in an environment variable.
///
/// A program that forges the variable can only cause a refusal, or some additional passes.
package struct BridgeHops: Hashable, Sendable {
  package static let variable = "LAUNCH_SERVICES_BRIDGED"
  /// The limit, higher than legitimate chains of programs need, such as a terminal in a terminal.
  package static let most = 5
  /// The limit for all schemes. Applications that start each other with URLs of different schemes, such as a terminal, an
  /// editor and a browser, form longer chains; a loop of two schemes ends here.
  package static let mostOfAll = 20

  package let scheme: URLScheme
  /// The passes in a row of this scheme.
  package let count: Int
  /// The passes of all schemes.
  package let all: Int

  package init(_ scheme: URLScheme, count: Int, all: Int? = nil) {
    self.scheme = scheme
    self.count = count
    self.all = max(all ?? count, count)
  }

  /// Nil when the text is not a valid value.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, let scheme = URLScheme(String(parts[0])), let count = Int(parts[1]),
      let all = Int(parts[2]), count > 0, all >= count
    else { return nil }
    self.init(scheme, count: min(count, Self.most), all: min(all, Self.mostOfAll))
  }

  package var text: String { "\(scheme) \(count) \(all)" }

  /// The passes with the one that begins with an open of `scheme` by a process with this variable, or without it.
  package static func next(_ scheme: URLScheme, after earlier: BridgeHops?) -> BridgeHops {
    guard let earlier else { return BridgeHops(scheme, count: 1) }
    return BridgeHops(
      scheme, count: earlier.scheme == scheme ? earlier.count + 1 : 1, all: earlier.all + 1)
  }

  /// Whether so many passes indicate a loop.
  var isLoop: Bool { count > Self.most || all > Self.mostOfAll }
}
