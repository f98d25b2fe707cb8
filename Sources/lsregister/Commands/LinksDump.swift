internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsregister links dump`.
extension RegisterCommand {
  func dumpLinks(json: Bool) throws(CommandFailure) {
    var seen: Set<String> = []
    for link in try allLinks() {
      guard let path = link[Key.file]?.asString, seen.insert(path).inserted,
        let domain = link[Key.domain]?.asString.flatMap(WebHost.init)
      else { continue }
      printPatterns(of: try read(path), domain, json: json)
    }
  }

  func printPatterns(of file: AssociationFile, _ domain: WebHost, json: Bool) {
    for application in file.applications {
      let patterns = file.patterns(of: application)
      if json {
        output.print(
          JSON.text([
            Key.applicationIdentifier: .string(application.description),
            Key.domain: .string(domain.text),
            "components": .optionsList(
              patterns.map { ["component": .string($0), "patterns": .string($1)] }),
          ]))
      } else {
        output.print(
          [Self.head(application, domain)] + Columns.lines(patterns.map { ["  " + $0, $1] }))
      }
    }
  }
}
