package import DBus

/// The type of user activities for universal links, and the calls about universal links.
extension Contract {
  /// The type of a universal link (R5.20).
  package static let browsingWeb = "NSUserActivityTypeBrowsingWeb"

  package static let linkMethods: [InterfaceDescription.Method] = [
    .init(
      "Links", [.noOptions],
      returns: [
        .init(
          "links", "aa{sv}", "One dictionary for each associated domain of each application.",
          linkDescription)
      ],
      "Returns every associated domain of every application."),
    .init(
      "ChooseLink",
      [
        .init("bundle_id", "s", "The identifier of the application."),
        .init("domain", "s", "The domain as the `domain` of Links has it."),
        .init(
          "choice", "s",
          """
          `application`: the application receives the links. `browser`: the browser receives the \
          links. Empty: the choice is removed.
          """),
        .noOptions,
      ], returns: [],
      "Sets the user's choice for links of the domain."),
    .init(
      "SetAssociationFile",
      [
        .init("domain", "s", "The domain."),
        .init("path", "s", "The absolute path of the file; empty to remove the copy."), .noOptions,
      ], returns: [],
      """
      Uses a copy of the file instead of the association file of the domain's site, also after a \
      restart.
      """),
    .init(
      "RefreshLinks",
      [.init("domains", "as", "The domains; empty for all domains."), .noOptions], returns: [],
      """
      Fetches the association files of the domains, and returns after the last fetch. Call \
      RefreshLinks without a timeout.
      """),
  ]

  private static let linkDescription = DictionaryDescription([
    .init(Key.bundleIdentifier, "s", "The identifier of the application."),
    .init(
      Key.applicationIdentifier, "s",
      "The identifier with the prefix of the team; empty if the prefix is unknown."),
    .init(Key.entry, "s", "The entry of the application's associated domains."),
    .init(Key.domain, "s", "The domain of the entry."),
    .init(Key.user, "s", "The choice of the user: `approved`, `unspecified` or `denied`."),
    .init(Key.site, "s", "The answer of the site: `approved`, `unspecified` or `denied`."),
    .init(Key.counts, "b", "False for an entry that counts only in a developer mode that is off."),
    .init(
      Key.source, "s",
      """
      The source of the association file: `added` with SetAssociationFile, `fetched` from the site, \
      or `none`.
      """),
    .init(Key.file, "s", "The path of the association file, if there is one."),
    .init(
      Key.tried, "t", "The time of the last fetch, in seconds since 1970, if there was a fetch."),
    .init(Key.result, "s", "The result of the last fetch, if there was a fetch."),
  ])

  package static func links() -> Message { ask(registry, "Links", [.options([:])]) }

  package static func chooseLink(_ application: String, _ domain: String, _ choice: String)
    -> Message
  {
    ask(
      registry, "ChooseLink",
      [.string(application), .string(domain), .string(choice), .options([:])])
  }

  package static func setAssociationFile(_ domain: String, _ path: String) -> Message {
    ask(registry, "SetAssociationFile", [.string(domain), .string(path), .options([:])])
  }

  package static func refreshLinks(_ domains: [String]) -> Message {
    ask(registry, "RefreshLinks", [.strings(domains), .options([:])])
  }
}

/// One call about universal links.
package enum LinkCall: Sendable {
  case list
  case choose(application: String, domain: String, choice: String)
  case setFile(domain: String, path: String)
  case refresh([String])
}
