/// The applications the user chose for schemes (R2.15, R2.18), found from either side.
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

  /// The schemes for which the user chose this application.
  func schemes(of identifier: BundleIdentifier) -> Set<URLScheme> { schemes[identifier] ?? [] }
}
