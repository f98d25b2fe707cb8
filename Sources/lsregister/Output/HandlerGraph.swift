internal import BusContract
internal import Commands
internal import DBus

/// A graph of claims in the Graphviz language.
struct HandlerGraph {
  /// A scheme, type or domain that applications claim.
  struct Subject {
    let kind: String
    let name: String
    let label: String
    let shape: String
    /// The identifiers of the possible handlers; true for the current handler.
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
  /// The edges by application identifier, in the order of the subjects.
  private let edges: [String: [String]]

  /// Leaves out applications without claims, such as the table of types.
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
    // `\n` is the line separator of Graphviz.
    let text = "\"" + label.map(Self.escaped).joined(separator: "\\n") + "\""
    return "  \(Self.node("application", identifier)) [label=\(text), shape=box];"
  }

  static func identifier(of application: Options) -> String {
    application[Key.bundleIdentifier]?.asString ?? ""
  }

  private static func node(_ kind: String, _ name: String) -> String { quoted("\(kind) \(name)") }
  private static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// Escapes backslashes and quotation marks for use in labels.
  private static func escaped(_ text: String) -> String {
    text.visible.map { "\\\"".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
