internal import FoundationEssentials
internal import LaunchRules

/// The local callback in the URL of a login: a command-line tool listens at a port of its machine, and the site of the
/// login leads the browser there at the end (RFC 8252, section 7.3).
nonisolated struct LoginCallback: Hashable, Sendable {
  /// The port at which the tool listens. A tool may also show a page of its own at that port.
  let port: UInt16
  /// The address that the callback names. The tool may listen at no other one.
  let host: LoopbackHost
  /// When the tool no longer needs the port. The page of a tool itself may be loaded again.
  let end: RemoteShell.CallbackEnd

  /// Programs without privileges listen at these ports.
  private static let ports: ClosedRange = 1024...65_535

  /// Nil unless the text is a web URL of a port of the machine itself, or a web URL whose query has one `redirect_uri`
  /// that is such a URL.
  init?(_ text: String) {
    guard let parts = URLComponents(string: text), Self.isWeb(parts) else { return nil }
    var target = parts
    end = Self.ownHost(parts) == nil ? .once : .closed
    if end == .once {
      let targets = (parts.queryItems ?? []).filter { $0.name == "redirect_uri" }
      guard targets.count == 1, let callback = targets[0].value.flatMap(URLComponents.init(string:))
      else { return nil }
      target = callback
    }
    guard Self.isWeb(target), let host = Self.ownHost(target), let port = target.port,
      Self.ports.contains(port)
    else { return nil }
    self.host = host
    self.port = UInt16(port)
  }

  private static func isWeb(_ url: URLComponents) -> Bool {
    ["http", "https"].contains(url.scheme?.lowercased())
  }

  private static func ownHost(_ url: URLComponents) -> LoopbackHost? {
    url.host.flatMap { LoopbackHost(host: $0.lowercased()) }
  }
}
