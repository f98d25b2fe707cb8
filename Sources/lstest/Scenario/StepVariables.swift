internal import PropertyLists
internal import StubApplications

/// The build variables that steps may use: those of the scenario, of its applications and of the command line.
struct StepVariables {
  private let variables: BuildVariables
  /// Variables to which applications give different values.
  private let ambiguous: Set<String>
  /// Variables for which the scenario wants a value: the world says so.
  private let needed: Set<String>

  /// - Parameters:
  ///   - shared: those of the scenario.
  ///   - given: those of the command line.
  init(
    _ shared: ScenarioReader.Variables, _ applications: [ScenarioApplication],
    _ given: [String: String]
  ) {
    needed = Set((shared.needed + applications.flatMap(\.needed)).map(\.name))
    let shared = shared.values
    var values = shared.merging(given) { $1 }
    var ambiguous: Set<String> = []
    for (name, value) in applications.flatMap(\.definitions) {
      if let other = values[name], other != value, shared[name] == nil { ambiguous.insert(name) }
      values[name] = values[name] ?? value
    }
    variables = BuildVariables(values.filter { !ambiguous.contains($0.key) })
    self.ambiguous = ambiguous
  }

  /// The step with values in place of variables; reports a variable without a value.
  func expand(_ step: ScenarioValue) -> ScenarioValue {
    ScenarioValue(
      tree: expand(step.tree, at: step.key, step.reading), key: step.key, reading: step.reading)
  }

  private func report(_ name: String, at key: String, _ reading: ScenarioReading) {
    if ambiguous.contains(name) {
      reading.report(
        key,
        "uses the build variable \(name), which has different values in the applications; write the value"
      )
    } else if !needed.contains(name) {
      reading.report(
        key,
        "needs a value of the build variable \(name): write it in define of the scenario, or add"
          + " --define \(name)=VALUE; values of xcconfig and xcode do not count in steps")
    }
  }

  private func expand(
    _ tree: PropertyTree, at key: String, _ reading: ScenarioReading
  ) -> PropertyTree {
    switch tree {
    case .string(let text):
      let expansion = variables.expand(text)
      for name in expansion.unresolved { report(name, at: key, reading) }
      return .string(expansion.text)
    case .array(let list):
      return .array(
        list.enumerated().map { expand($1, at: "\(key)[\($0)]", reading) })
    case .dictionary(let entries):
      var expanded: [String: PropertyTree] = [:]
      for (name, tree) in entries.sorted(by: { $0.key < $1.key }) {
        expanded[name] = expand(tree, at: "\(key).\(name)", reading)
      }
      return .dictionary(expanded)
    default: return tree
    }
  }
}
