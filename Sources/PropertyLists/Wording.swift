/// `A`, `A and B`, `A, B and C`.
func listed(_ names: [String]) -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " and " + last
}

extension BuildVariables.Expansion {
  /// Such as `the build variable NAME, which has no value`.
  var unresolvedPhrase: String {
    unresolved.count == 1
      ? "the build variable \(unresolved[0]), which has no value"
      : "the build variables \(listed(unresolved)), which have no values"
  }

  /// How to give them values.
  var remedy: String {
    "give \(unresolved.count == 1 ? "it a value" : "them values") with \"lsregister add "
      + unresolved.map { "--define \($0)=VALUE" }.joined(separator: " ") + "\""
  }
}
