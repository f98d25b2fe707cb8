internal import LaunchRules

/// Reads `com.apple.developer.associated-domains` of entitlements or of the property list itself (R8.1).
extension LenientDictionary {
  func associatedDomains(_ context: ReadingContext) -> [AssociatedDomain] {
    let key = AssociatedDomain.entitlement
    guard contains(key) else { return [] }
    var domains: [AssociatedDomain] = []
    for domain in list(key, { $0.associatedDomain() }) where !domains.contains(domain) {
      domains.append(domain)
    }
    guard domains.count > AssociatedDomain.most else { return domains }
    context.report(
      .warning, path(of: key), "has \(domains.count) entries for applinks",
      "only the first \(AssociatedDomain.most) count")
    return Array(domains.prefix(AssociatedDomain.most))
  }
}

extension LenientValue {
  /// Nil for a domain of another service, and for an invalid entry, which is reported.
  fileprivate func associatedDomain() -> AssociatedDomain? {
    guard let text = plainText() else { return nil }
    do throws(AssociatedDomain.Wrong) {
      return try AssociatedDomain.read(text)
    } catch {
      context.report(
        .warning, path, "\(text.quoted) \(error.problem)",
        "it was ignored: \(error.advice)")
      return nil
    }
  }
}
