internal import PropertyLists
internal import StubApplications

/// The build variables that steps may use: those of the scenario, of its applications and of the command line.
struct StepVariables {
  private let variables: BuildVariables
  /// Variables to which applications give different values.
  private let ambiguous: Set<String>

  /// - Parameters:
  ///   - shared: those of the scenario.
  ///   - given: those of the command line.
  init(
    _ shared: [String: String], _ applications: [ScenarioApplication], _ given: [String: String]
  ) {
    var values = shared.merging(given) { $1 }
    var ambiguous: Set<String> = []
    for (name, value) in applications.flatMap(\.definitions) {
      if let other = values[name], other != value, shared[name] == nil { ambiguous.insert(name) }
      values[name] = values[name] ?? value
    }
    variables = BuildVariables(values.filter { !ambiguous.contains($0.key) })
    self.ambiguous = ambiguous
  }

  /// The step with values in place of variables. A variable without a value stays as it is.
  func expand(_ step: ScenarioValue) -> ScenarioValue {
    ScenarioValue(
      tree: expand(step.tree) { name in
        step.report(
          "uses the build variable \(name), which has different values in the applications; write the value"
        )
      }, key: step.key, reading: step.reading)
  }

  private func expand(_ tree: PropertyTree, _ report: (String) -> Void) -> PropertyTree {
    switch tree {
    case .string(let text):
      let expansion = variables.expand(text)
      for name in expansion.unresolved where ambiguous.contains(name) { report(name) }
      return .string(expansion.text)
    case .array(let list): return .array(list.map { expand($0, report) })
    case .dictionary(let entries): return .dictionary(entries.mapValues { expand($0, report) })
    default: return tree
    }
  }
}
