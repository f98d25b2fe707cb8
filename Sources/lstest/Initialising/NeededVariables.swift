internal import ApplicationFolders
internal import PropertyLists
internal import StubApplications

/// The build variables of a property list that a scenario must give values to.
struct NeededVariables {
  /// Each once.
  let names: [String]
  /// All variables, with examples in place of the missing values, to read the property list.
  let variables: BuildVariables
  /// How steps write the identifier and the schemes that contain needed variables, by their values with examples.
  private var writtenTexts: [String: String] = [:]

  /// - Parameters:
  ///   - path: the absolute path of the property list.
  ///   - definitions: the values that are known.
  ///   - isOfTarget: whether the values come from a project, so that also other keys may have no open variable.
  init(
    of tree: PropertyTree, at path: String, _ definitions: [String: String], isOfTarget: Bool
  ) {
    let known = BuildVariables(definitions)
    let texts = Self.texts(of: tree)
    var names: [String] = []
    func add(_ more: [String]) {
      for name in more where !names.contains(name) { names.append(name) }
    }
    for text in texts { add(known.expand(text).unresolved) }
    let open = ApplicationReading(of: path, variables: known).openVariables
    add(
      open.filter { isOfTarget ? ApplicationBuild.isNeeded($0) : Self.isOfDomain($0) }.map(\.name))
    self.names = names
    let examples = Dictionary(uniqueKeysWithValues: names.map { ($0, Self.example(of: $0)) })
    variables = BuildVariables(definitions.merging(examples) { $1 })
    for text in texts {
      let expansion = known.expand(text)
      guard !expansion.unresolved.isEmpty else { continue }
      // The steps have the values of the needed variables only.
      let example = BuildVariables(examples).expand(expansion.text).text
      guard example == variables.expand(text).text else { continue }
      writtenTexts[example.lowercased()] = expansion.text
    }
  }

  /// Whether the variable is in an associated domain, also in one of the entitlements.
  private static func isOfDomain(_ variable: OpenVariable) -> Bool {
    variable.keyPath.contains("associated-domains")
  }

  /// The identifier and the schemes, also those that are queried, with their variables.
  private static func texts(of tree: PropertyTree) -> [String] {
    let top = tree.asDictionary
    let identifier = top?["CFBundleIdentifier"]?.asString ?? "$(PRODUCT_BUNDLE_IDENTIFIER)"
    let schemes = (top?["CFBundleURLTypes"]?.asArray ?? []).compactMap {
      $0.asDictionary?["CFBundleURLSchemes"]
    }
    let queries = top?["LSApplicationQueriesSchemes"]?.asArray?.compactMap(\.asString) ?? []
    return [identifier] + queries
      + schemes.flatMap { $0.asArray?.compactMap(\.asString) ?? [$0.asString].compactMap(\.self) }
  }

  private static func example(of name: String) -> String {
    "com.example.\(name)".replacing("_", with: "-")
  }

  /// Whether a text contains an example in place of a value.
  func isExample(_ text: String) -> Bool {
    names.contains { text.lowercased().contains(Self.example(of: $0).lowercased()) }
  }

  /// The text that a step writes for an identifier or a scheme; nil when the value is not known.
  func written(_ text: String) -> String? {
    writtenTexts[text.lowercased()] ?? (isExample(text) ? nil : text)
  }
}
