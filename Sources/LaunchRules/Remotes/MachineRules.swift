/// The user's rules that send URLs to other machines. Each rule is about one scheme, or about hosts of web URLs, and names
/// the machine that opens the URLs.
package struct MachineRules: Hashable, Sendable {
  /// The URLs that a rule is about.
  package enum Subject: Hashable, Sendable {
    case scheme(URLScheme)
    /// Web URLs of the host.
    case host(WebHost)
    /// Web URLs of all hosts below the host.
    case subdomains(of: WebHost)
  }

  package struct Rule: Hashable, Sendable {
    package let subject: Subject
    package let machine: RemoteName
  }

  private var machines: [Subject: RemoteName] = [:]

  /// Maximum number of rules.
  package static let most = 256

  package init() {}

  /// By their texts.
  package var all: [Rule] {
    machines.map { Rule(subject: $0.key, machine: $0.value) }
      .sorted { $0.subject.description < $1.subject.description }
  }

  /// What is sent to one machine.
  package func subjects(of machine: RemoteName) -> [Subject] {
    all.filter { $0.machine == machine }.map(\.subject)
  }

  /// The reason why URLs cannot be sent, a sentence without its full stop; nil when they can.
  package static func objection(toSending subject: Subject) -> String? {
    guard case .scheme(let scheme) = subject else { return nil }
    if scheme == .file { return "files are not sent to another machine, where they do not exist" }
    return Registry.neverDispatched.contains(scheme)
      ? "\(scheme) URLs are handled only in the application that shows them" : nil
  }

  /// Sends URLs to a machine, in place of another one to which they went before.
  /// - Returns: false when the limit of rules is reached, or the URLs cannot be sent.
  package mutating func send(_ subject: Subject, to machine: RemoteName) -> Bool {
    guard Self.objection(toSending: subject) == nil,
      machines[subject] != nil || machines.count < Self.most
    else { return false }
    machines[subject] = machine
    return true
  }

  /// Opens URLs here again that were sent to a machine.
  /// - Returns: false when there is no such rule.
  package mutating func keep(_ subject: Subject, from machine: RemoteName) -> Bool {
    guard machines[subject] == machine else { return false }
    machines[subject] = nil
    return true
  }

  /// Forgets a machine.
  package mutating func forget(_ machine: RemoteName) {
    machines = machines.filter { $0.value != machine }
  }

  /// The rule for a URL. The longest host goes first, then the scheme.
  /// - Parameter host: of a web URL.
  package func rule(for scheme: URLScheme, host: WebHost?) -> Rule? {
    guard !machines.isEmpty, Self.objection(toSending: .scheme(scheme)) == nil else { return nil }
    for subject in Self.subjects(scheme, scheme.isWeb ? host : nil) {
      if let machine = machines[subject] { return Rule(subject: subject, machine: machine) }
    }
    return nil
  }

  private static func subjects(_ scheme: URLScheme, _ host: WebHost?) -> [Subject] {
    guard let host else { return [.scheme(scheme)] }
    var subjects = [Subject.host(host)]
    var rest = host.text[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if let parent = WebHost(String(rest)) { subjects.append(.subdomains(of: parent)) }
    }
    return subjects + [.scheme(scheme)]
  }
}

extension MachineRules.Subject {
  private static let anyHost = "*."
  private static let hostMark = "//"

  /// Nil unless the text is a scheme, such as `vscode`; a scheme with a `.`, such as `com.example.app:`; a host, such as
  /// `example.com` or `//wiki`; or `*.` and a host.
  package init?(_ text: String) {
    if text.hasSuffix(":") {
      guard let scheme = URLScheme(String(text.dropLast())) else { return nil }
      self = .scheme(scheme)
    } else if text.hasPrefix(Self.hostMark) {
      guard let host = Self.host(String(text.dropFirst(Self.hostMark.count))) else { return nil }
      self = host
    } else if text.utf8.contains(UInt8(ascii: ".")) {
      guard let host = Self.host(text) else { return nil }
      self = host
    } else {
      guard let scheme = URLScheme(text) else { return nil }
      self = .scheme(scheme)
    }
  }

  private static func host(_ text: String) -> Self? {
    if text.hasPrefix(anyHost) {
      return WebHost(String(text.dropFirst(anyHost.count))).map(Self.subdomains)
    }
    return WebHost(text).map(Self.host)
  }
}

extension MachineRules.Subject: CustomStringConvertible {
  /// The text from which the subject can be made again.
  package var description: String {
    switch self {
    case .scheme(let scheme):
      scheme.text.utf8.contains(UInt8(ascii: ".")) ? "\(scheme):" : scheme.text
    case .host(let host): host.text.utf8.contains(UInt8(ascii: ".")) ? host.text : "//\(host)"
    case .subdomains(let host): "*.\(host)"
    }
  }

  /// The text as one word of a command line.
  var shellWord: String {
    if case .subdomains = self { "'\(self)'" } else { description }
  }
}

extension MachineRules {
  /// What the rules say about one open.
  enum Choice: Hashable, Sendable {
    case none
    case sends(Rule)
    /// The URL is opened here in spite of the rule.
    case keeps(KeptURL)
  }

  /// A URL that is opened here although a rule or the setting `CallsFrom` sends such URLs to a machine: a URL that has come
  /// from elsewhere is never sent on, so that it does not travel in circles. A machine may have several names.
  package struct KeptURL: Hashable, Sendable {
    /// What is sent: a scheme or hosts.
    let subject: Subject
    /// The name of the machine.
    let machine: String
    /// The remote that has sent the URL; nil for a machine that uses ssh.
    let source: RemoteName?

    /// Nil for a URL that does not come from elsewhere.
    init?(_ subject: Subject, for machine: String, _ question: OpenRule.Question) {
      guard question.acting.remote != nil || question.isRelayed else { return nil }
      (self.subject, self.machine, source) = (subject, machine, question.acting.remote)
    }

    /// For explanations.
    var sentence: String {
      "\(subject) is sent to \(machine), but not this URL, which comes from "
        + (source.map { "\($0)" } ?? "another machine")
    }
  }

  func choice(_ question: OpenRule.Question) -> Choice {
    guard case .url(let scheme, let host, _) = question.subject, question.designated == nil,
      question.device == nil, !question.universalLinksOnly,
      let rule = rule(for: scheme, host: host)
    else { return .none }
    return KeptURL(rule.subject, for: rule.machine.text, question).map(Choice.keeps) ?? .sends(rule)
  }
}
