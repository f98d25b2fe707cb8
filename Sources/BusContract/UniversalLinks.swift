package import DBus

/// The type of user activities for universal links, and the calls about universal links.
extension Contract {
  /// The type of a universal link (R5.20).
  package static let browsingWeb = "NSUserActivityTypeBrowsingWeb"

  package static let linkMethods: [InterfaceDescription.Method] = [
    .init(
      "Links", [.init("options", "a{sv}")], returns: [.init("links", "aa{sv}")],
      """
      Returns every associated domain of every application: 'bundle-identifier', \
      'application-identifier' (with the prefix of its team; empty if the prefix is unknown), 'entry', \
      'domain', 'user' and 'site' (approved, unspecified or denied), 'counts' b, 'source' (added, \
      fetched or none), the 'file' of the association, the time 'tried' in seconds since 1970, and the \
      'result' of that attempt.
      """),
    .init(
      "ChooseLink",
      [
        .init("bundle_id", "s"), .init("domain", "s"), .init("choice", "s"),
        .init("options", "a{sv}"),
      ], returns: [],
      """
      Sets the user's choice for links of the domain: 'application', 'browser', or empty to remove the \
      choice.
      """),
    .init(
      "SetAssociationFile",
      [.init("domain", "s"), .init("path", "s"), .init("options", "a{sv}")], returns: [],
      """
      Uses a copy of the file at the absolute path instead of the association file of the domain's site, \
      also after a restart; an empty path removes the copy.
      """),
    .init(
      "RefreshLinks", [.init("domains", "as"), .init("options", "a{sv}")], returns: [],
      """
      Fetches the association files of these domains, or of all domains if the array is empty, and \
      returns after the last fetch. Call RefreshLinks without a timeout.
      """),
  ]

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
