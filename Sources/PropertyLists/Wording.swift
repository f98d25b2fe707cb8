/// `A`, `A and B`, `A, B and C`.
func listed(_ names: [String]) -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " and " + last
}

extension BuildVariables.Expansion {
  /// Such as `the build variable NAME, which has no value`.
  var unresolvedPhrase: String {
    let missing = missing
    var phrases = cycles.map(Self.phrase)
    if !excessive.isEmpty {
      phrases.append(
        "the build \(excessive.count == 1 ? "variable" : "variables") \(listed(excessive)) with more than "
          + "\(VariableExpander.mostSteps) references to other variables, or references nested more than "
          + "\(VariableExpander.deepest) deep")
    }
    if missing.count == 1 {
      phrases.append("the build variable \(missing[0]), which has no value")
    } else if missing.count > 1 {
      phrases.append("the build variables \(listed(missing)), which have no values")
    }
    return listed(phrases)
  }

  /// Advice on defining the variables.
  var remedy: String {
    let missing = missing
    var advice = cycles.map { "give \($0[0]) a value that does not lead back to it" }
    if !excessive.isEmpty {
      advice.append(
        "give \(listed(excessive)) \(excessive.count == 1 ? "a value" : "values") with fewer references"
      )
    }
    if !missing.isEmpty {
      let names =
        if advice.isEmpty {
          missing.count == 1 ? "it a value" : "them values"
        } else {
          listed(missing) + (missing.count == 1 ? " a value" : " values")
        }
      advice.append(
        "give \(names) with "
          + missing.map { "--define \($0)=VALUE" }.joined(separator: " ")
          + ", or in define of a scenario or test")
    }
    return listed(advice)
  }

  /// The variables without a definition.
  private var missing: [String] {
    let circling = Set(cycles.joined()).union(excessive)
    return unresolved.filter { !circling.contains($0) }
  }

  private static func phrase(_ cycle: [String]) -> String {
    let chain = (cycle + cycle.prefix(1)).map { "$(\($0))" }.joined(separator: " -> ")
    return cycle.count == 1
      ? "the build variable \(cycle[0]), whose value refers to itself (\(chain))"
      : "the build variables \(listed(cycle)), whose values refer to each other in a cycle (\(chain))"
  }
}
