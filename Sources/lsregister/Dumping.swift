internal import BusContract
internal import Commands
internal import DBus

/// Everything that is registered, grouped for reading, or as a graph.
extension RegisterCommand {
  func dump(json: Bool) throws(CommandFailure) {
    let applications = try applications()
    if json { return output.print(JSON.text(.optionsList(applications))) }
    output.print(applications.flatMap(Self.block))
  }

  /// For Graphviz: schemes, the applications that claim them, and in bold who gets each.
  func dumpGraph() throws(CommandFailure) {
    let applications = try applications()
    let schemes = Set(applications.flatMap { $0["schemes"]?.asStrings ?? [] }).sorted()
    var defaults: [String: String] = [:]
    for scheme in schemes { defaults[scheme] = try defaultHandler(scheme) }
    output.print(HandlerGraph(applications, schemes, defaults: defaults).lines)
  }

  /// Nil when nobody gets it, or nobody is sure.
  private func defaultHandler(_ scheme: String) throws(CommandFailure) -> String? {
    do throws(ServiceFailure) {
      return try service.call(Contract.defaultHandler(scheme), Service.patience).first?.asString
    } catch {
      guard case .refused = error else { throw CommandFailure(error) }
      return nil
    }
  }

  private static let separator = String(repeating: "-", count: 80)

  /// One application: its facts below each other, then its claims.
  private static func block(_ application: Options) -> [String] {
    let claims = application[Key.urlTypes]?.asOptionsList ?? []
    let facts = facts(of: application).filter { !claimKeys.contains($0[0]) || claims.isEmpty }
    let rows = grouped(facts).map { [$0 + ":", $1] }
    let width = (rows.map { $0[0].count } + [claimWidth]).max() ?? 0
    return [separator] + rows.map { line($0[0], $0[1], width) }
      + claims.flatMap { claim in
        [""]
          + [
            line("    claim:", claim["name"]?.asString ?? "-", width),
            line("    role:", claim["role"]?.asString ?? "-", width),
            line("    rank:", claim["rank"]?.asString ?? "-", width),
            line(
              "    schemes:",
              (claim["schemes"]?.asStrings ?? []).map { $0 + ":" }.joined(separator: ", "), width),
          ]
      }
  }

  /// Facts that stand under the claims.
  private static let claimKeys: Set<String> = ["schemes", "url-names"]
  private static let claimWidth = "    schemes:".count

  /// Facts of one name in one line.
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

/// Claims as a graph in the language of Graphviz.
struct HandlerGraph {
  private let applications: [Options]
  private let schemes: [String]
  private let defaults: [String: String]

  /// - Parameter defaults: who gets a scheme.
  init(_ applications: [Options], _ schemes: [String], defaults: [String: String]) {
    self.applications = applications
    self.schemes = schemes
    self.defaults = defaults
  }

  var lines: [String] {
    [
      "digraph \"Launch Services\" {", "  rankdir=LR;", "  node [fontname=\"sans-serif\"];",
    ]
      + schemes.map {
        "  \(Self.node("scheme", $0)) [label=\(Self.quoted($0 + ":")), shape=ellipse];"
      }
      + applications.map(box) + applications.flatMap(edges) + ["}"]
  }

  private func box(_ application: Options) -> String {
    let identifier = identifier(application)
    let name = application[RegisterCommand.localizedName] ?? application[Key.name]
    let texts = [name?.asString ?? identifier, identifier]
    let label = texts[0] == texts[1] ? [identifier] : texts
    // `\n` between the lines is Graphviz's own.
    let text = "\"" + label.map(Self.escaped).joined(separator: "\\n") + "\""
    return "  \(Self.node("application", identifier)) [label=\(text), shape=box];"
  }

  private func edges(_ application: Options) -> [String] {
    let identifier = identifier(application)
    let claimed = Set(application["schemes"]?.asStrings ?? [])
    // The user's choice need not claim it (R2.17).
    return schemes.filter { claimed.contains($0) || defaults[$0] == identifier }.map { scheme in
      "  \(Self.node("scheme", scheme)) -> \(Self.node("application", identifier))"
        + (defaults[scheme] == identifier ? " [style=bold];" : ";")
    }
  }

  private func identifier(_ application: Options) -> String {
    application[Key.bundleIdentifier]?.asString ?? ""
  }

  private static func node(_ kind: String, _ name: String) -> String { quoted("\(kind) \(name)") }
  private static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// Inside of quotation marks a backslash begins an escape of labels.
  private static func escaped(_ text: String) -> String {
    text.visible.map { "\\\"".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
