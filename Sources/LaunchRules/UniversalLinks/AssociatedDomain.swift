/// One entry `applinks:` of `com.apple.developer.associated-domains` (R8.1).
package struct AssociatedDomain: Hashable, Sendable {
  /// The mode of an entry (R8.4).
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    case developer
    case managed
    case developerManaged = "developer+managed"
  }

  /// The domain of the association file (R8.3): the part after `*.`, otherwise the whole host.
  package var domain: WebHost
  /// Whether the entry begins with `*.`: it covers all hosts below the domain, but not the domain itself
  /// (R8.2).
  package var coversSubdomains: Bool
  package var mode: Mode?

  /// Maximum number of entries of one application. Apple recommends at most 20 to 30 (R8.2).
  package static let most = 100
  package static let entitlement = "com.apple.developer.associated-domains"
  /// The services of R8.1.
  private static let services: Set<Substring> = [
    "applinks", "webcredentials", "activitycontinuation", "appclips", "authsrv",
  ]

  package init(_ domain: WebHost, coversSubdomains: Bool = false, mode: Mode? = nil) {
    self.domain = domain
    self.coversSubdomains = coversSubdomains
    self.mode = mode
  }

  /// The reason why a text is not a valid entry, with a remedy. The reason is a sentence without its full
  /// stop.
  package struct Wrong: Error, Hashable, Sendable {
    package let problem: String
    package let advice: String
  }

  /// - Returns: nil for an entry of another service, such as `webcredentials:`.
  package static func read(_ text: String) throws(Wrong) -> AssociatedDomain? {
    let form = "write applinks:HOST or applinks:*.HOST (R8.1)"
    guard let colon = text.firstIndex(of: ":") else {
      throw Wrong(problem: "does not begin with a service and a colon", advice: form)
    }
    let service = text[..<colon]
    guard services.contains(service) else {
      throw Wrong(problem: "names an unknown service", advice: form)
    }
    guard service == "applinks" else { return nil }
    let parts = text[text.index(after: colon)...].split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var mode: Mode?
    if parts.count == 2 {
      let name = "mode="
      guard parts[1].hasPrefix(name),
        let known = Mode(rawValue: String(parts[1].dropFirst(name.count)))
      else {
        throw Wrong(
          problem: "has an invalid mode after the question mark",
          advice: "write ?mode=developer, ?mode=managed, or nothing (R8.4)")
      }
      mode = known
    }
    let coversSubdomains = parts[0].hasPrefix("*.")
    let host = coversSubdomains ? parts[0].dropFirst(2) : parts[0]
    if host.utf8.contains(where: { $0 > 0x7f }) {
      throw Wrong(problem: "names a host that is not ASCII", advice: NonASCIIHost.advice)
    }
    guard let domain = WebHost(String(host)), domain.isFullyQualified, !host.hasSuffix(".") else {
      throw Wrong(
        problem: "has no fully qualified host",
        advice: "\(form), without scheme, port, path and final dot")
    }
    return AssociatedDomain(domain, coversSubdomains: coversSubdomains, mode: mode)
  }

  package func covers(_ host: WebHost) -> Bool {
    coversSubdomains ? host.text.hasSuffix("." + domain.text) : host == domain
  }

  /// The entry without the service.
  package var text: String {
    (coversSubdomains ? "*." : "") + domain.text + (mode.map { "?mode=\($0.rawValue)" } ?? "")
  }

  /// The precedence of the entry: of several entries that cover a host, the longest is used (R8.2).
  var length: Int { domain.text.utf8.count + (coversSubdomains ? 2 : 0) }
}

extension WebHost {
  /// Whether the host has a domain and is not an IP address.
  package var isFullyQualified: Bool {
    let labels = text.split(separator: ".")
    return labels.count > 1 && !(labels.last?.utf8.allSatisfy(\.isASCIIDigit) ?? true)
  }

  /// The parent domains, nearest first: `b.example` and `example` for `a.b.example`.
  var parents: [WebHost] {
    let labels = text.split(separator: ".")
    return labels.indices.dropFirst().compactMap { WebHost(labels[$0...].joined(separator: ".")) }
  }
}
