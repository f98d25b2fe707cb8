internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsregister show`.
extension RegisterCommand {
  func show(_ identifier: String, json: Bool) throws(CommandFailure) {
    guard
      let application = try call(Contract.findApplications(.identifier(identifier))).first?
        .asOptionsList?.first.map(localize)
    else { throw notRegistered(identifier) }
    output.print(
      json
        ? [JSON.text(application)]
        : Columns.lines(Self.facts(of: application) + Self.urlTypes(of: application)))
  }

  /// The rows of the URL types.
  private static func urlTypes(of application: Options) -> [[String]] {
    (application[Key.urlTypes]?.asOptionsList ?? []).map { type in
      let facts = ["name", "role", "rank", Key.icon, "schemes"].compactMap { key in
        type[key].map { "\(key)=\(texts($0).joined(separator: ","))" }
      }
      return ["url-type", facts.joined(separator: "  ")]
    }
  }
}
