internal import LaunchRules

/// Reads `CFBundleURLTypes`: the schemes that the application claims (R1.1–R1.8).
extension LenientDictionary {
  /// The types that claim at least one scheme.
  func urlTypes(_ context: ReadingContext) -> [URLTypeDeclaration] {
    var claimed: [URLScheme: String] = [:]
    var named: [String: String] = [:]
    return list("CFBundleURLTypes") { value in
      guard let type = value.dictionary() else { return nil }
      let name = type.text(Self.name)
      // Also of a type that claims nothing: its name may be the mistake.
      if let name { type.reportSecondName(name, at: value.path, named: &named, context) }
      return type.urlType(named: name, at: value.path, claimed: &claimed, context)
    }
  }

  private static var name: String { "CFBundleURLName" }

  /// `named` contains the names of the types so far, each with the place of its first type.
  private func reportSecondName(
    _ name: String, at place: String, named: inout [String: String], _ context: ReadingContext
  ) {
    guard let first = named[name] else {
      named[name] = place
      return
    }
    context.report(
      .warning, path(of: Self.name), "two URL types have the CFBundleURLName \(name.quoted)",
      "one localised name stands for this one and \(first): give each a name of its own (R1.8)")
  }

  /// `claimed` contains the schemes of the application so far, each with the place of its first claim.
  private func urlType(
    named name: String?, at place: String, claimed: inout [URLScheme: String],
    _ context: ReadingContext
  ) -> URLTypeDeclaration? {
    let role = role(context)
    let rank = rank(context)
    let iconFile = text("CFBundleURLIconFile")
    if !contains("CFBundleURLSchemes") {
      context.report(
        .warning, place, "has no CFBundleURLSchemes",
        "it claims nothing and was ignored: add the key, with an array of schemes")
      return nil
    }
    let claims = list("CFBundleURLSchemes") {
      $0.claimedScheme(claimed: &claimed)
    }
    guard !claims.isEmpty else { return nil }
    return URLTypeDeclaration(
      name: name, role: role, rank: rank, schemes: claims.map(\.scheme),
      spellings: claims.filter { $0.spelling != $0.scheme.text }.map(\.spelling),
      iconFile: iconFile)
  }

  func role(_ context: ReadingContext) -> URLTypeDeclaration.Role {
    guard let text = text("CFBundleTypeRole") else { return .viewer }
    if let role = URLTypeDeclaration.Role(rawValue: text) { return role }
    let known = listed(URLTypeDeclaration.Role.allCases.map(\.rawValue))
    context.report(
      .warning, path(of: "CFBundleTypeRole"), "\(text.quoted) is not a role",
      "it was read as Viewer: the roles are \(known)")
    return .viewer
  }

  func rank(_ context: ReadingContext) -> URLTypeDeclaration.Rank {
    guard let text = text("LSHandlerRank") else { return .default }
    if let rank = URLTypeDeclaration.Rank(rawValue: text) { return rank }
    let known = listed(URLTypeDeclaration.Rank.allCases.map(\.rawValue))
    context.report(
      .warning, path(of: "LSHandlerRank"), "\(text.quoted) is not a rank",
      "it was read as Default: the ranks are \(known)")
    return .default
  }
}

extension LenientValue {
  fileprivate func claimedScheme(
    claimed: inout [URLScheme: String]
  ) -> (scheme: URLScheme, spelling: String)? {
    guard let expansion = text() else { return nil }
    guard let scheme = URLScheme(expansion.text), expansion.unresolved.isEmpty else {
      if let mistake = SchemeMistake(expansion) {
        context.recordRefusedScheme(at: path)
        context.report(
          .warning, path, mistake.problem, "the scheme is not claimed: \(mistake.advice)")
      }
      return nil
    }
    if let first = claimed[scheme] {
      context.report(
        .warning, path, "claims \(expansion.text.quoted) again",
        "the first claim, \(first), counts: remove this one (R1.3)")
      return nil
    }
    claimed[scheme] = path
    return (scheme, expansion.text)
  }
}
