internal import PropertyLists

/// Build settings of one build, computed from layers of assignments.
package struct BuildSettings: Hashable, Sendable {
  /// A setting with its value.
  package struct Setting: Hashable, Sendable {
    package let name: String
    /// `$(inherited)` is replaced; other references are not expanded.
    package let value: String
    package let source: SettingSource
  }

  private var settings: [String: Setting] = [:]
  package private(set) var problems: [SettingProblem] = []
  package let build: BuildKind

  package init(_ build: BuildKind) { self.build = build }

  /// Adds assignments that are stronger than all before. Of two assignments in one layer, the later one wins.
  package mutating func add(_ layer: [SettingAssignment]) {
    for assignment in layer where assignment.conditions.allSatisfy({ $0.holds(in: build) }) {
      let earlier = settings[assignment.name]?.value ?? ""
      var value = assignment.value
      for reference in ["inherited", assignment.name] {
        for text in ["$(\(reference))", "${\(reference)}"] where value.contains(text) {
          // In files, the weaker value may be one of Xcode.
          if reference == assignment.name, earlier.isEmpty, assignment.source.isOption {
            problems.append(
              SettingProblem(
                assignment.source,
                "the value of \(assignment.name) contains \(text), and \(assignment.name) has no other value, so nothing"
                  + " takes the place of \(text)"))
          }
          value = String(value.replacing(text, with: earlier).trimmed)
        }
      }
      settings[assignment.name] = Setting(
        name: assignment.name, value: value, source: assignment.source)
    }
  }

  package mutating func add(_ problems: [SettingProblem]) { self.problems += problems }

  package subscript(name: String) -> Setting? { settings[name] }

  package var isEmpty: Bool { settings.isEmpty }

  /// All values, for `BuildVariables`.
  package var definitions: [String: String] { settings.mapValues(\.value) }

  /// The expanded value; nil when the setting is missing, is empty, or contains a variable without a value.
  package func value(_ name: String) -> String? { BuildVariables(definitions).value(name) }

  /// The settings that a property list with these texts uses: those that the texts mention, those that the reader uses
  /// by itself, and those that the values of these mention.
  package func used(in texts: [String]) -> [Setting] {
    let variables = BuildVariables(definitions)
    let own =
      BuildVariableName.used + BuildVariableName.generated.values
      + settings.keys.filter { $0.hasPrefix(BuildVariableName.generatedKeyPrefix) }
    let names = (texts + own.map { "$(\($0))" }).reduce(into: Set<String>()) {
      $0.formUnion(variables.names(in: $1))
    }
    return names.compactMap { settings[$0] }.sorted { $0.name < $1.name }
  }
}
