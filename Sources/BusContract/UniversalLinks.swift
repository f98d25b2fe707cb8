package import DBus

/// User activities as they go over the bus, and the calls about universal links.
extension Contract {
  /// The type of a universal link (R5.20).
  package static let browsingWeb = "NSUserActivityTypeBrowsingWeb"

  package static let linkMethods: [InterfaceDescription.Method] = [
    .init(
      "Links", [.init("options", "a{sv}")], returns: [.init("links", "aa{sv}")],
      """
      Every associated domain of every application: 'bundle-identifier', 'application-identifier' \
      (with the prefix of its team; empty when that is unknown), 'entry', 'domain', 'user' and 'site' \
      (approved, unspecified or denied), 'counts' b, 'source' (added, fetched or none), the 'file' it \
      is read from, 'tried' in seconds since 1970, 'result' of that.
      """),
    .init(
      "ChooseLink",
      [
        .init("bundle_id", "s"), .init("domain", "s"), .init("choice", "s"),
        .init("options", "a{sv}"),
      ], returns: [],
      """
      The user's choice for links of the domain: 'application', 'browser', or empty to take it back.
      """),
    .init(
      "SetAssociationFile",
      [.init("domain", "s"), .init("path", "s"), .init("options", "a{sv}")], returns: [],
      """
      From now on, and after a restart, a copy of the file at the absolute path counts instead of the \
      one that the site of the domain has; an empty path takes it back.
      """),
    .init(
      "RefreshLinks", [.init("domains", "as"), .init("options", "a{sv}")], returns: [],
      """
      Fetches the association files of these domains, of all when there are none, and answers when \
      that is done. Call it without a timeout.
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
