/// The installed applications, and who gets the URLs of each scheme.
///
/// Equal contents answer alike, whatever the order in which they came. The handlers of a scheme are
/// sorted when one of them changes, so that asking never sorts.
package struct Registry: Sendable {
  package let policy: CollisionPolicy
  /// Grows by one with every change that changes something.
  package private(set) var generation: UInt64 = 0

  private(set) var registrations: [BundleIdentifier: Registration] = [:]
  private(set) var identifiers: [String: BundleIdentifier] = [:]
  private(set) var userBindings = UserBindings()
  private(set) var handlers: [URLScheme: [HandlerStanding]] = [:]
  private(set) var hostHandlers = HostHandlers()

  package init(policy: CollisionPolicy = .lastInstalled) { self.policy = policy }

  /// Schemes that never leave the application that shows them (R2.10). A claim is not routed.
  package static let neverDispatched = Set(
    ["data", "about", "javascript", "blob"].compactMap(URLScheme.init))
}

// MARK: - Changes

extension Registry {
  /// Adds the application, or replaces the one with the same property list. True when something
  /// changed.
  @discardableResult
  package mutating func install(_ application: InstalledApplication) -> Bool {
    change(removing: [], installing: [application])
  }

  /// Returns the application that was there.
  @discardableResult
  package mutating func remove(propertyList path: String) -> InstalledApplication? {
    let removed = application(at: path)
    change(removing: [path], installing: [])
    return removed
  }

  /// Removes property lists, then installs applications, as one change that sorts each scheme once.
  /// True when something changed.
  @discardableResult
  package mutating func change(
    removing paths: [String], installing applications: [InstalledApplication]
  ) -> Bool {
    var after: [String: InstalledApplication?] = [:]
    for path in paths { after.updateValue(nil, forKey: path) }
    for application in applications { after[application.propertyList] = application }
    after = after.filter { path, application in self.application(at: path) != application }
    guard !after.isEmpty else { return false }

    var touched = Set(after.keys.compactMap { identifiers[$0] })
    touched.formUnion(after.values.compactMap { $0?.identifier })
    let before = touched.map { ($0, application($0)) }
    for (path, application) in after {
      takeAway(path)
      if let application { add(application) }
    }
    resort(before.filter { identifier, old in application(identifier) != old })
    generation += 1
    return true
  }

  /// Sets the user's choice for a scheme, or with nil removes it. True when something changed,
  /// which is never so for schemes that are never dispatched. The application need not be
  /// installed: the choice counts as soon as it is.
  @discardableResult
  package mutating func bind(_ scheme: URLScheme, to identifier: BundleIdentifier?) -> Bool {
    let old = userBindings[scheme]
    guard old != identifier, !Self.neverDispatched.contains(scheme) else { return false }
    userBindings[scheme] = identifier
    let standings = [old, identifier].compactMap(\.self).map { identifier in
      let claim = application(identifier).flatMap { Self.claims(of: $0)[scheme] }
      return (identifier, standing(of: identifier, for: scheme, claim: claim))
    }
    resort(scheme, Dictionary(uniqueKeysWithValues: standings))
    generation += 1
    return true
  }

  private mutating func takeAway(_ path: String) {
    guard let identifier = identifiers.removeValue(forKey: path) else { return }
    registrations[identifier] = registrations[identifier]?.without(path)
  }

  private mutating func add(_ application: InstalledApplication) {
    let identifier = application.identifier
    identifiers[application.propertyList] = identifier
    if registrations[identifier]?.insert(application) == nil {
      registrations[identifier] = Registration(application)
    }
  }

  /// Moves applications of which another copy is in use now, or none, to their places. Touches
  /// their schemes only.
  private mutating func resort(_ changed: [(BundleIdentifier, old: InstalledApplication?)]) {
    var standings: [URLScheme: [BundleIdentifier: HandlerStanding?]] = [:]
    for (identifier, old) in changed {
      hostHandlers.update(identifier, from: old, to: application(identifier), policy)
      let claims = application(identifier).map(Self.claims) ?? [:]
      let oldClaims = old.map(Self.claims) ?? [:]
      let schemes = userBindings.schemes(of: identifier).union(claims.keys).union(oldClaims.keys)
      for scheme in schemes {
        let standing = standing(of: identifier, for: scheme, claim: claims[scheme])
        standings[scheme, default: [:]].updateValue(standing, forKey: identifier)
      }
    }
    for (scheme, changed) in standings { resort(scheme, changed) }
  }

  private mutating func resort(
    _ scheme: URLScheme, _ changed: [BundleIdentifier: HandlerStanding?]
  ) {
    var standings = handlers.removeValue(forKey: scheme) ?? []
    standings.replace(changed)
    if !standings.isEmpty { handlers[scheme] = standings }
  }

  private func standing(
    of identifier: BundleIdentifier, for scheme: URLScheme, claim: URLTypeDeclaration?
  ) -> HandlerStanding? {
    guard let application = application(identifier) else { return nil }
    return HandlerStanding(
      of: application, for: scheme, claim: claim, isChosen: userBindings[scheme] == identifier,
      policy: policy)
  }

  /// Of two URL types that claim one scheme the first counts (R1.3).
  private static func claims(
    of application: InstalledApplication
  ) -> [URLScheme: URLTypeDeclaration] {
    var claims: [URLScheme: URLTypeDeclaration] = [:]
    for type in application.declaration.urlTypes {
      for scheme in type.schemes where claims[scheme] == nil && !neverDispatched.contains(scheme) {
        claims[scheme] = type
      }
    }
    return claims
  }
}
