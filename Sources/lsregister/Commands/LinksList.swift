internal import BusContract
internal import Commands
internal import DBus

/// `lsregister links list`.
extension RegisterCommand {
  func listLinks(json: Bool) throws(CommandFailure) {
    let links = try allLinks()
    if json { return output.print(JSON.text(.optionsList(links))) }
    output.print(
      Columns.lines(
        links.map { link in
          func text(_ key: String) -> String { link[key]?.asString ?? "" }
          let counts = link[Key.counts]?.asBoolean ?? true
          return [
            text(Key.bundleIdentifier), "applinks:" + text(Key.entry),
            "user=" + text(Key.user), "site=" + text(Key.site), text(Key.source),
            counts ? Self.remark(link) : "its mode does not count",
          ]
        }))
  }

  private static func remark(_ link: Options) -> String {
    if link[Key.applicationIdentifier]?.asString?.isEmpty == true { return "its team is not known" }
    return link[Key.result]?.asString ?? "-"
  }
}
