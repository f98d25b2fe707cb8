import LaunchRules

/// Short ways to write applications down.
enum Sample {
  static func scheme(_ text: String) -> URLScheme {
    guard let scheme = URLScheme(text) else { preconditionFailure("no scheme: \(text)") }
    return scheme
  }

  static func id(_ text: String) -> BundleIdentifier {
    guard let identifier = BundleIdentifier(text) else {
      preconditionFailure("no bundle identifier: \(text)")
    }
    return identifier
  }

  /// `path` is where the property list is; by default it follows from the identifier.
  static func app(
    _ identifier: String, claims schemes: [String] = [],
    role: URLTypeDeclaration.Role = .viewer, rank: URLTypeDeclaration.Rank = .default,
    queries: [String] = [], on platform: Platform = .iOS, sdk: UInt16 = 26, version: String = "1",
    system: Bool = false, at installedAt: Int64 = 0, path: String? = nil, stamp: String = "",
    hosts: [String] = [], entitlements: Set<DefaultApplicationEntitlement> = []
  ) -> InstalledApplication {
    let type = URLTypeDeclaration(
      role: role, rank: rank, schemes: schemes.compactMap(URLScheme.init))
    let declaration = ApplicationDeclaration(
      identifier: id(identifier), version: BundleVersion(version), urlTypes: [type],
      queriesSchemes: queries, platform: platform, linkedSDK: LinkedSDK(sdk),
      webHosts: hosts.compactMap(WebHost.init), entitlements: entitlements)
    let folder = "/apps/\(identifier).app"
    return InstalledApplication(
      declaration: declaration, propertyList: path ?? "\(folder)/Info.plist", folder: folder,
      isSystem: system, installedAt: installedAt, stamp: stamp)
  }

  static func registry(
    _ applications: [InstalledApplication], policy: CollisionPolicy = .lastInstalled,
    bound: [String: String] = [:]
  ) -> Registry {
    var registry = Registry(policy: policy)
    registry.change(removing: [], installing: applications.map { ApplicationRecord($0) })
    for (scheme, identifier) in bound { registry.bind(Self.scheme(scheme), to: id(identifier)) }
    return registry
  }
}

extension Registry {
  /// The identifiers of the candidates, best first.
  func order(of scheme: String) -> [String] {
    candidates(for: Sample.scheme(scheme)).map(\.identifier.text)
  }

  func reasons(for scheme: String) -> [HandlerReason] {
    candidates(for: Sample.scheme(scheme)).map(\.reason)
  }

  /// Who gets the scheme; nil for nobody.
  func handler(of scheme: String) -> String? {
    guard case .handler(let candidate) = route(Sample.scheme(scheme)) else { return nil }
    return candidate.identifier.text
  }
}
