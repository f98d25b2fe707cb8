internal import LaunchRules

/// Reads `LSApplicationQueriesSchemes`: the schemes that the application may query (R3.6, R3.7).
extension LenientDictionary {
  /// All entries that are text, in the order of the file. The limit is applied where the entries are used.
  func queriesSchemes(
    _ context: ReadingContext, platform: Platform, linkedSDK: LinkedSDK
  ) -> [String] {
    var places: [URLScheme: String] = [:]
    let schemes = list("LSApplicationQueriesSchemes") { $0.queriedScheme(places: &places) }
    if platform == .iOS { reportSurplus(of: schemes, linkedSDK: linkedSDK, context) }
    return schemes
  }

  private func reportSurplus(
    of schemes: [String], linkedSDK: LinkedSDK, _ context: ReadingContext
  ) {
    guard let limit = QueryAllowlist.limit(for: linkedSDK), schemes.count > limit else { return }
    let surplus = schemes[limit...]
    let shown = surplus.prefix(50).map(\.quoted)
    let others = surplus.count - shown.count
    let origin = namesSDK(context) ? "" : " (the newest, because DTSDKName does not say)"
    context.report(
      .warning, "LSApplicationQueriesSchemes",
      "lists \(schemes.count) schemes, but an application linked with SDK "
        + "\(linkedSDK.major)\(origin) may list \(limit) (R3.6)",
      "the entries after the first \(limit) do not count: "
        + listed(shown + (others > 0 ? ["\(others) more"] : [])))
  }
}

extension LenientValue {
  /// Returns the text of the entry; `places` contains the schemes so far, each with its first place.
  fileprivate func queriedScheme(places: inout [URLScheme: String]) -> String? {
    guard let expansion = text() else { return nil }
    if let mistake = SchemeMistake(expansion) {
      context.report(
        .warning, path, mistake.problem,
        "no query will match the entry, but it counts towards the limit: \(mistake.advice)")
    } else if let scheme = URLScheme(expansion.text) {
      if let first = places[scheme] {
        context.report(
          .note, path, "\(expansion.text.quoted) is listed again, first in \(first)",
          "both count towards the limit: remove one")
      } else {
        places[scheme] = path
      }
    }
    return expansion.text
  }
}
