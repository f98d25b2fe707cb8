internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// Shows all registered applications, as text or as a graph.
extension RegisterCommand {
  /// - Parameter coreTypes: also prints the types that the system application Core Types declares.
  func dump(coreTypes: Bool, json: Bool) throws(CommandFailure) {
    var applications = try applications()
    if !coreTypes { applications = applications.map { Self.withoutCoreTypes($0, json: json) } }
    if json { return output.print(JSON.text(.optionsList(applications))) }
    output.print(applications.flatMap(Self.block))
  }

  /// The text says how many types are left out.
  private static func withoutCoreTypes(_ application: Options, json: Bool) -> Options {
    guard BundleIdentifier(identifier(of: application)) == coreTypes,
      application["system"]?.asBoolean == true,
      let types = application["exported-types"]?.asOptionsList
    else { return application }
    var application = application
    application["exported-types"] = nil
    if !json {
      application["core-types"] = .string("\(types.count) types, which --core-types prints")
    }
    return application
  }

  private static let coreTypes = BundleIdentifier("org.launchservices.system.CoreTypes")

  private static let separator = String(repeating: "-", count: 80)

  /// The lines of one application: its facts, then its claims and declared types.
  private static func block(_ application: Options) -> [String] {
    let details = sections.flatMap { key, title, keys in
      (application[key]?.asOptionsList ?? []).map { detail(of: $0, title, keys) }
    }
    let hasClaims = application[Key.urlTypes]?.asOptionsList?.isEmpty == false
    let hidden = Set(sections.map(\.key)).union(hasClaims ? ["schemes", "url-names"] : [])
    let facts = grouped(facts(of: application).filter { !hidden.contains($0[0]) })
    let width = (facts + details.joined()).map(\.0.count).max() ?? 0
    func lines(_ rows: [(String, String)]) -> [String] {
      rows.map { line($0.0 + ":", $0.1, width + 1) }
    }
    return [separator] + lines(facts) + details.flatMap { [""] + lines($0) }
  }

  /// The lists with details: the titles of their elements, and the keys in display order.
  private static let sections: [(key: String, title: String, keys: [String])] = {
    let tags = ["extensions", "mime-types", "os-types"]
    let declared = [Key.description, Key.conformsTo] + tags
    return [
      (Key.urlTypes, "claim", ["role", "rank", Key.icon, "schemes"]),
      ("document-types", "document", ["role", "rank", "content-types"] + tags + ["package"]),
      ("exported-types", "exports", declared), ("imported-types", "imports", declared),
    ]
  }()

  private static func detail(
    of options: Options, _ title: String, _ keys: [String]
  ) -> [(String, String)] {
    let name = options[Key.type] ?? options[Key.name]
    return [("    " + title, name?.asString ?? "-")]
      + keys.compactMap { key in
        let values = (options[key].map(texts) ?? []).map { key == "schemes" ? $0 + ":" : $0 }
        return values.isEmpty ? nil : ("    " + key, values.joined(separator: ", "))
      }
  }

  /// Combines facts with the same name into one line.
  private static func grouped(_ facts: [[String]]) -> [(String, String)] {
    var groups: [(String, String)] = []
    for fact in facts {
      if let last = groups.last, last.0 == fact[0], fact[0] != "diagnostics" {
        groups[groups.count - 1].1 = last.1 + ", " + fact[1]
      } else {
        groups.append((fact[0], fact[1]))
      }
    }
    return groups
  }

  private static func line(_ name: String, _ text: String, _ width: Int) -> String {
    name + String(repeating: " ", count: width - name.count + 2) + text
  }
}
