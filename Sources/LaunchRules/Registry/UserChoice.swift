extension Registry {
  /// The reason why the user's choice of an application for a scheme would have no effect, with a remedy; nil
  /// when it has an effect, or the application is not installed.
  package func objection(
    to identifier: BundleIdentifier, for scheme: URLScheme
  ) -> String? {
    guard let application = application(identifier),
      !application.declaration.mayBeChosen(for: scheme)
    else { return nil }
    guard !application.isSystem, let owner = systemHandler(of: scheme) else {
      guard !application.declaration.urlTypes.contains(where: { $0.schemes.contains(scheme) })
      else { return nil }
      return "\(identifier) does not claim the scheme \(scheme); only a macOS application may be"
        + " chosen without a claim (R2.17)"
    }
    let reserved = "the scheme \(scheme) is reserved for the system application \(owner)"
    guard let entitlement = DefaultApplicationEntitlement(for: scheme) else {
      return "\(reserved), and no iOS application may be chosen instead (R2.8)"
    }
    guard application.declaration.entitlements.contains(entitlement) else {
      return "\(reserved); \(application.identifier) needs the entitlement"
        + " \(entitlement.rawValue) (\(entitlement.rule)), in \(EntitlementsFileName.archived) or"
        + " NAME\(EntitlementsFileName.suffix) beside its property list"
    }
    let missing = application.declaration.missingClaims(for: entitlement).map(\.text)
    return "\(reserved); \(application.identifier) has the entitlement \(entitlement.rawValue), but"
      + " must also claim \(missing.joined(separator: " and ")) (\(entitlement.rule))"
  }

  /// The best system application that claims the scheme.
  private func systemHandler(of scheme: URLScheme) -> BundleIdentifier? {
    handlers[scheme]?.prefix(2).first { $0.isSystem && $0.claims.contains(scheme) }?.identifier
  }
}
