internal import BusContract
internal import Commands
internal import DBus

/// Claims as a graph in the language of Graphviz.
struct HandlerGraph {
  /// What applications claim.
  struct Subject {
    let kind: String
    let name: String
    let label: String
    let shape: String
    /// The identifiers of those that may get it; true for who does.
    var handlers: [String: Bool] = [:]

    init(_ kind: String, _ name: String, label: String, shape: String) {
      self.kind = kind
      self.name = name
      self.label = label
      self.shape = shape
    }
  }

  private let applications: [Options]
  private let subjects: [Subject]
  /// By the identifiers of applications, in the order of the subjects.
  private let edges: [String: [String]]

  /// Applications that claim nothing and get nothing, such as the table of types, are left out.
  init(_ applications: [Options], _ subjects: [Subject]) {
    let handlers = Set(subjects.flatMap(\.handlers.keys))
    self.applications = applications.filter { handlers.contains(Self.identifier(of: $0)) }
    self.subjects = subjects
    var edges: [String: [String]] = [:]
    for subject in subjects {
      for (identifier, isDefault) in subject.handlers {
        edges[identifier, default: []].append(
          "  \(Self.node(subject.kind, subject.name)) -> \(Self.node("application", identifier))"
            + (isDefault ? " [style=bold];" : ";"))
      }
    }
    self.edges = edges
  }

  var lines: [String] {
    [
      "digraph \"Launch Services\" {", "  rankdir=LR;", "  node [fontname=\"sans-serif\"];",
    ]
      + subjects.map {
        "  \(Self.node($0.kind, $0.name)) [label=\(Self.quoted($0.label)), shape=\($0.shape)];"
      }
      + applications.map(box) + applications.flatMap { edges[Self.identifier(of: $0)] ?? [] } + [
        "}"
      ]
  }

  private func box(_ application: Options) -> String {
    let identifier = Self.identifier(of: application)
    let name = application[RegisterCommand.localizedName] ?? application[Key.name]
    let texts = [name?.asString ?? identifier, identifier]
    let label = texts[0] == texts[1] ? [identifier] : texts
    // `\n` between the lines is Graphviz's own.
    let text = "\"" + label.map(Self.escaped).joined(separator: "\\n") + "\""
    return "  \(Self.node("application", identifier)) [label=\(text), shape=box];"
  }

  static func identifier(of application: Options) -> String {
    application[Key.bundleIdentifier]?.asString ?? ""
  }

  private static func node(_ kind: String, _ name: String) -> String { quoted("\(kind) \(name)") }
  private static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// Inside of quotation marks a backslash begins an escape of labels.
  private static func escaped(_ text: String) -> String {
    text.visible.map { "\\\"".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
