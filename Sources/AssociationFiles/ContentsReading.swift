internal import LaunchRules

/// Reads the decoded JSON, and reports what is invalid or unusual.
struct ContentsReading {
  private let path: String
  private var diagnostics: [Diagnostic] = []
  /// The hash values of the diagnostics beyond the limit.
  private var omitted: Set<Int> = []
  private(set) var variables: Set<String> = []
  /// The defaults of the domain.
  private var defaults: Level?
  private static let mostDiagnostics = 100

  init(path: String) { self.path = path }

  mutating func finish() -> [Diagnostic] {
    if !omitted.isEmpty {
      diagnostics.append(
        Diagnostic(
          .warning, file: path, problem: "\(omitted.count) more findings are left out",
          consequence: "they are not listed; correct the ones above first"))
    }
    return diagnostics
  }

  mutating func report(
    _ severity: Diagnostic.Severity, _ keyPath: String, _ problem: String, _ consequence: String
  ) {
    let diagnostic = Diagnostic(
      severity, file: path, keyPath: keyPath, problem: problem, consequence: consequence)
    // The same defaults are read once for each component.
    guard !diagnostics.contains(diagnostic) else { return }
    guard diagnostics.count < Self.mostDiagnostics else {
      omitted.insert(diagnostic.hashValue)
      return
    }
    diagnostics.append(diagnostic)
  }

  // MARK: Parts

  mutating func file(_ top: [String: JSONValue]) -> AssociationFile {
    guard let value = top["applinks"] else {
      report(
        .note, "", "it has no \"applinks\"", "no application receives links because of this file")
      return AssociationFile()
    }
    guard let links = object(value, "applinks") else { return AssociationFile() }
    if case .list(let apps)? = links["apps"], !apps.isEmpty {
      report(.warning, "applinks.apps", "is not empty", "it was ignored: write [] (R8.7)")
    }
    reportUnknown(links, "applinks", ["apps", "defaults", "details", "substitutionVariables"])
    let variables = variables(links["substitutionVariables"])
    self.variables = Set(variables.keys)
    defaults = partDefaults(links["defaults"], "applinks.defaults")
    return AssociationFile(
      defaults: defaults.map { comparison(of: $0.object, $0.place) } ?? .init(),
      variables: variables, details: details(links["details"]))
  }

  private mutating func variables(_ value: JSONValue?) -> [String: [LinkPattern]] {
    let place = "applinks.substitutionVariables"
    guard let value, let object = object(value, place) else { return [:] }
    var variables: [String: [LinkPattern]] = [:]
    for (name, value) in object.sorted(by: { $0.key < $1.key }) {
      let place = "\(place).\(name)"
      if PredefinedVariable(rawValue: name) != nil {
        report(.note, place, "is predefined", "the texts of the file count instead")
      }
      variables[name] = texts(value, place).map { LinkPattern($0, readsVariables: false) }
    }
    return variables
  }

  private mutating func details(_ value: JSONValue?) -> [AssociationFile.Detail] {
    let place = "applinks.details"
    switch value {
    case nil:
      report(.warning, place, "is missing", "no application receives links because of this file")
      return []
    case .list(let list)?:
      return list.enumerated().compactMap { detail($1, "\(place)[\($0)]") }
    case .object(let object)?:
      // The oldest form: one entry for each application, without an order.
      report(
        .note, place, "is an object",
        "each key was read as an \"appID\": write an array of objects (R8.7)")
      return object.sorted { $0.key < $1.key }.compactMap { key, value in
        detail(value, "\(place).\(key)", of: key)
      }
    case let other?:
      wrongKind(other, place, "an array")
      return []
    }
  }

  private mutating func detail(
    _ value: JSONValue, _ place: String, of application: String? = nil
  ) -> AssociationFile.Detail? {
    guard let object = object(value, place) else { return nil }
    reportUnknown(object, place, ["appID", "appIDs", "components", "paths", "defaults"])
    var identifiers = application.map { [($0, place)] } ?? []
    if let value = object["appID"] {
      identifiers += text(value, "\(place).appID").map { [($0, "\(place).appID")] } ?? []
    }
    if let value = object["appIDs"] {
      identifiers += texts(value, "\(place).appIDs").enumerated().map {
        ($1, "\(place).appIDs[\($0)]")
      }
    }
    if identifiers.isEmpty {
      report(
        .warning, place, "names no application",
        "it was ignored: give it \"appIDs\" (R8.7)")
    }
    var applications: [LinkedApplication] = []
    for (text, place) in identifiers {
      guard let application = LinkedApplication(text) else {
        report(
          .warning, place, "\(text.shown) is not an application identifier",
          "it was ignored: write the prefix of the team, a dot, and the bundle identifier (R8.18)")
        continue
      }
      if !applications.contains(application) { applications.append(application) }
    }
    let own = partDefaults(object["defaults"], "\(place).defaults")
    let components = components(of: object, place, [own, defaults].compactMap(\.self))
    guard !applications.isEmpty else { return nil }
    return AssociationFile.Detail(
      applications, defaults: own.map { comparison(of: $0.object, $0.place) } ?? .init(),
      components: components)
  }

  /// An entry may have both forms: systems that support `components` ignore `paths` (R8.8).
  /// - Parameter defaults: the defaults of the detail, then those of the domain.
  private mutating func components(
    of detail: [String: JSONValue], _ place: String, _ defaults: [Level]
  ) -> [AssociationFile.Component] {
    switch (detail["components"], detail["paths"]) {
    case (let components?, let paths):
      if paths != nil {
        report(
          .note, "\(place).paths", "is given together with \"components\"", "it was ignored (R8.8)")
      }
      let place = "\(place).components"
      guard let list = list(components, place) else { return [] }
      if list.isEmpty { reportEmpty(place, "component, such as { \"/\": \"/buy/*\" }") }
      return list.enumerated().compactMap { component($1, "\(place)[\($0)]", defaults) }
    case (nil, let paths?):
      if case .list(let list) = paths, list.isEmpty {
        reportEmpty("\(place).paths", "path, such as \"/buy/*\"")
      }
      return texts(paths, "\(place).paths").map { path in
        let not = "NOT "
        let excludes = path.hasPrefix(not)
        return AssociationFile.Component(
          path: LinkPattern(
            excludes ? String(path.dropFirst(not.count)) : path, readsVariables: false),
          excludes: excludes, isOfPaths: true)
      }
    case (nil, nil):
      report(
        .warning, place, "has neither \"components\" nor \"paths\"", "it matches no URL")
      return []
    }
  }

  private mutating func reportEmpty(_ place: String, _ element: String) {
    report(.warning, place, "is empty", "the entry matches no URL: add a \(element)")
  }

  static let comparisons = ["caseSensitive", "percentEncoded"]

  /// The key `comment` is allowed in every object.
  mutating func reportUnknown(
    _ object: [String: JSONValue], _ place: String, _ known: [String]
  ) {
    for key in object.keys.sorted() where key != "comment" && !known.contains(key) {
      report(
        .warning, place, "has the unknown key \(key.shown)",
        "it was ignored; known are \(known.joined(separator: ", "))")
    }
  }

  mutating func comparison(
    of object: [String: JSONValue], _ place: String
  ) -> AssociationFile.Comparison {
    AssociationFile.Comparison(
      caseSensitive: object["caseSensitive"].flatMap { boolean($0, "\(place).caseSensitive") },
      percentEncoded: object["percentEncoded"].flatMap { boolean($0, "\(place).percentEncoded") })
  }
}

extension String {
  /// The text in quotes, shortened to 80 characters, with `?` for control characters.
  var shown: String {
    let visible = unicodeScalars.prefix(80).map {
      $0.properties.generalCategory == .control ? "?" : String($0)
    }.joined()
    return "\"\(visible)\""
  }
}
