// The application that handles a URL: the designated one, or the choice of the registry.

/// The target of an open of a URL.
package struct OpenTarget: Hashable, Sendable {
  package var scheme: URLScheme
  /// The host of a web URL; ignored for every other scheme (R2.7).
  package var host: WebHost?
  /// The designated handler (R5.28).
  package var designated: BundleIdentifier?

  package init(scheme: URLScheme, host: WebHost? = nil, designated: BundleIdentifier? = nil) {
    self.scheme = scheme
    self.host = host
    self.designated = designated
  }
}

extension Registry {
  /// The application for `target`, in the order of R4.20: the designated one, a system application by host,
  /// then by scheme.
  package func choose(_ target: OpenTarget) throws(OpenFailure) -> InstalledApplication {
    if let designated = target.designated { return try installed(designated) }
    switch route(target.scheme, host: target.host) {
    case .handler(let candidate): return try installed(candidate.identifier)
    case .notFound:
      throw .noApplication(for: target.scheme, SystemApplication(for: target.scheme))
    case .ambiguous(let identifiers):
      let names =
        identifiers.prefix(Routing.mostListed).map(\.text).joined(separator: ", ")
        + (identifiers.count > Routing.mostListed ? " and others" : "")
      throw .ambiguousHandler(
        "the scheme \(target.scheme) is claimed by \(names), and the setting CollisionPolicy"
          + " requires a choice;"
          + " choose one with: lsregister default \(target.scheme) ID")
    }
  }

  package func installed(_ identifier: BundleIdentifier) throws(OpenFailure) -> InstalledApplication
  {
    guard let application = application(identifier) else {
      throw .notRegistered(identifier)
    }
    return application
  }
}
