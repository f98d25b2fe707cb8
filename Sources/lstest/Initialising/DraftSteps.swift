internal import LaunchRules
internal import PropertyLists
internal import StubApplications

/// The steps of a scenario for applications that were found, and the sites that the steps need.
struct DraftSteps {
  private enum Subject {
    /// Opens a URL of a scheme.
    /// - Parameter identifier: of the application, as steps write it; nil when it is not known.
    case scheme(String, identifier: String?)
    /// Clicks a link of a site.
    case link(host: String, domain: String, application: LinkedApplication)
    case other
  }

  private var steps: [(subject: Subject, keys: [String: PropertyTree])] = []
  /// The applications that claim each scheme in lower case.
  private var claims: [String: [BundleIdentifier]] = [:]
  /// The applications of each domain.
  private var linked: [String: [LinkedApplication]] = [:]
  /// The applications that were added, with their identifiers as steps write them; nil for one that is not known.
  private var applications: [(ApplicationDeclaration, identifier: String?, NeededVariables)] = []
  /// What the user should know.
  private(set) var remarks: [String] = []

  // MARK: Results

  var list: [PropertyTree] { (steps.compactMap(finished) + queries).map(PropertyTree.dictionary) }

  /// The sites by domain; each has a path for every application.
  var sites: [String: PropertyTree] {
    var sites: [String: PropertyTree] = [:]
    for (domain, applications) in linked {
      let details = applications.map { application in
        PropertyTree.dictionary([
          "appIDs": .array([.string(application.description)]),
          "components": .array([
            .dictionary(["/": .string(folder(of: application, at: domain) + "*")])
          ]),
        ])
      }
      sites[domain] = .dictionary(["applinks": .dictionary(["details": .array(details)])])
    }
    return sites
  }

  /// The beginning of the paths of an application; each has its own where several have links.
  private func folder(of application: LinkedApplication, at domain: String) -> String {
    linked[domain, default: []].count > 1 ? "/\(application.identifier)/" : "/"
  }

  /// With what other applications make necessary.
  private func finished(
    _ step: (subject: Subject, keys: [String: PropertyTree])
  ) -> [String: PropertyTree]? {
    var keys = step.keys
    switch step.subject {
    case .scheme(let scheme, let identifier):
      guard claims[scheme.lowercased(), default: []].count > 1 else { break }
      // Only one of the applications is the handler of the scheme, and each has steps.
      guard let identifier else { return nil }
      keys["with"] = .string(identifier)
    case .link(let host, let domain, let application):
      keys["click"] = .string("https://\(host)\(folder(of: application, at: domain))test")
    case .other: break
    }
    return keys
  }

  // MARK: Applications

  /// Adds one step for every scheme, domain and quick action of an application.
  /// - Parameter team: the team of its entitlements, or the one that the scenario gives it.
  mutating func add(
    _ declaration: ApplicationDeclaration, team: String?, _ needed: NeededVariables
  ) {
    let identifier = needed.written(declaration.identifier.text)
    applications.append((declaration, identifier, needed))
    var expectation = Expectation(
      identifier: identifier, scenes: declaration.usesScenes,
      // Only a stub tells its callbacks.
      hasStub: WorldApplications.program(of: declaration) == nil)
    addSchemes(of: declaration, identifier, needed, &expectation)
    for query in declaration.queriesSchemes {
      if let reason = SchemeWithoutStep.reason(toQuery: query) {
        leaveOut("the query of the scheme \(query)", of: declaration, reason)
      } else if needed.written(query) == nil {
        leaveOut("the query of the scheme \(query)", of: declaration, Self.withoutValue)
      }
    }
    addLinks(of: declaration, team: team, needed, &expectation)
    for action in declaration.shortcutItems {
      guard let identifier else { continue }
      steps.append(
        (
          .other,
          [
            "quick-action": .string(action.type), "of": .string(identifier),
            "expect": expectation.next(
              expectation.scenes ? "willConnectTo" : "performActionFor", "performActionFor"),
          ]
        ))
    }
  }

  /// What the steps of one application expect.
  private struct Expectation {
    let identifier: String?
    let scenes: Bool
    let hasStub: Bool
    private var runs = false

    init(identifier: String?, scenes: Bool, hasStub: Bool) {
      self.identifier = identifier
      self.scenes = scenes
      self.hasStub = hasStub
    }

    /// - Parameters:
    ///   - cold: the callback of a process that is launched.
    ///   - warm: that of a process that runs.
    mutating func next(_ cold: String, _ warm: String) -> PropertyTree {
      var expected: [String: PropertyTree] = ["launch": .string(runs ? "warm" : "cold")]
      if hasStub { expected["callback"] = .string(runs ? warm : cold) }
      if let identifier { expected["handler"] = .string(identifier) }
      runs = true
      return .dictionary(expected)
    }
  }

  private static let withoutValue = "it has a build variable without a value"

  private mutating func leaveOut(
    _ subject: String, of declaration: ApplicationDeclaration, _ reason: String
  ) {
    remarks.append("\(subject) of \(declaration.identifier) has no step: \(reason)")
  }

  private mutating func addSchemes(
    of declaration: ApplicationDeclaration, _ identifier: String?, _ needed: NeededVariables,
    _ expectation: inout Expectation
  ) {
    for scheme in declaration.openedSchemes {
      if let reason = SchemeWithoutStep.reason(toOpen: scheme) {
        leaveOut("the scheme \(scheme)", of: declaration, reason)
        continue
      }
      if let system = Self.owner(of: scheme, for: nil) {
        remarks.append(
          "the scheme \(scheme) is reserved for \(system.identifier), so \(declaration.identifier) does not get"
            + " its URLs")
        steps.append(
          (
            .other,
            ["open": .string(Self.url(scheme)), "expect": .string(system.identifier)]
          ))
        continue
      }
      guard let written = needed.written(scheme) else {
        leaveOut("the scheme \(scheme)", of: declaration, Self.withoutValue)
        continue
      }
      let others = claims[scheme.lowercased(), default: []]
      if let first = others.first {
        remarks.append(
          "\(first) and \(declaration.identifier) claim the scheme \(scheme): each step names its application with"
            + " \"with\"")
      }
      claims[scheme.lowercased()] = others + [declaration.identifier]
      steps.append(
        (
          .scheme(scheme, identifier: identifier),
          [
            "open": .string(Self.url(written)),
            "expect": expectation.next(
              expectation.scenes ? "willConnectTo" : "application:openURL",
              expectation.scenes ? "openURLContexts" : "application:openURL"),
          ]
        ))
    }
  }

  private mutating func addLinks(
    of declaration: ApplicationDeclaration, team: String?, _ needed: NeededVariables,
    _ expectation: inout Expectation
  ) {
    for entry in declaration.associatedDomains {
      let domain = entry.domain.text
      guard LinkRule().allows(entry.mode) else {
        leaveOut(
          "applinks:\(entry.text)", of: declaration,
          entry.mode == .managed
            ? "an entry with this mode never counts"
            : "an entry with this mode counts only with the setting DeveloperLinks")
        continue
      }
      guard !needed.isExample(domain), !needed.isExample(declaration.identifier.text) else {
        leaveOut("applinks:\(entry.text)", of: declaration, "a build variable has no value")
        continue
      }
      guard let team else { continue }
      let application = LinkedApplication(prefix: team, identifier: declaration.identifier)
      guard linked[domain]?.contains(application) != true else { continue }
      linked[domain, default: []].append(application)
      let host = entry.coversSubdomains ? "www.\(domain)" : domain
      let expected = expectation.next(
        expectation.scenes ? "willConnectTo" : "continue", "continue")
      steps.append(
        (.link(host: host, domain: domain, application: application), ["expect": expected]))
    }
  }

  // MARK: Schemes

  /// The system application for which a scheme is reserved.
  private static func owner(
    of scheme: String, for opener: ApplicationDeclaration?
  ) -> SystemApplication? {
    URLScheme(scheme).flatMap { SystemApplication(for: $0, opener: opener) }
  }

  /// A URL of a scheme; of a scheme of the system one that has an effect.
  private static func url(_ scheme: String) -> String {
    switch scheme.lowercased() {
    case "mailto", "facetime", "facetime-audio": "\(scheme):test@example.com"
    case "tel", "telprompt", "sms": "\(scheme):+15550100"
    case "http", "https": "\(scheme)://example.com/test"
    default: "\(scheme)://test"
    }
  }

  /// One step for every scheme that an application may query.
  private var queries: [[String: PropertyTree]] {
    let handled = Set(applications.flatMap(\.0.openedSchemes))
    return applications.flatMap { declaration, identifier, needed in
      guard let identifier else { return [[String: PropertyTree]]() }
      return declaration.queriesSchemes.compactMap { scheme -> [String: PropertyTree]? in
        guard SchemeWithoutStep.reason(toQuery: scheme) == nil, let written = needed.written(scheme)
        else { return nil }
        return [
          "can-open": .string(Self.url(written)),
          "as": .string(identifier),
          "expect": .boolean(
            URLScheme(scheme)?.isWeb == true || handled.contains(scheme.lowercased())
              || Self.owner(of: scheme, for: declaration) != nil),
        ]
      }
    }
  }
}

extension ApplicationDeclaration {
  /// The schemes that the application claims, each once.
  fileprivate var openedSchemes: [String] {
    var schemes: [String] = []
    for scheme in urlTypes.flatMap(\.schemes).map(\.text) where !schemes.contains(scheme) {
      schemes.append(scheme)
    }
    return schemes
  }
}
