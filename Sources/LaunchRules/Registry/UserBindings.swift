/// The user's choices of applications for schemes (R2.15, R2.18), with lookups in both directions.
struct UserBindings: Sendable {
  private(set) var identifiers: [URLScheme: BundleIdentifier] = [:]
  private var schemes: [BundleIdentifier: Set<URLScheme>] = [:]

  subscript(scheme: URLScheme) -> BundleIdentifier? {
    get { identifiers[scheme] }
    set {
      if let old = identifiers[scheme] {
        schemes[old]?.remove(scheme)
        if schemes[old]?.isEmpty == true { schemes[old] = nil }
      }
      identifiers[scheme] = newValue
      if let newValue { schemes[newValue, default: []].insert(scheme) }
    }
  }

  /// The schemes with a choice of this application.
  func schemes(of identifier: BundleIdentifier) -> Set<URLScheme> { schemes[identifier] ?? [] }
}
