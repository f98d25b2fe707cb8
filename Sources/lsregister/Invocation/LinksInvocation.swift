internal import Commands
internal import LaunchRules

/// The options of `lsregister links`, some of which are those of `swcutil`.
enum LinksFlag: CommandOption {
  case domain, file, url, json, help

  var spelling: OptionSpelling {
    switch self {
    case .domain:
      .init("domain", short: "d", .one("DOMAIN"), help: "use the association file of DOMAIN")
    case .file:
      .init("json-file", short: "j", .one("FILE"), help: "read the association file from FILE")
    case .url: .init("url", short: "u", .one("URL"), help: "test URL; may be repeated")
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .help: .init("help", short: "h", help: "print the help text")
    }
  }
}

/// A parsed command line `lsregister links`.
struct LinksInvocation: Equatable {
  enum Verb: String, CaseIterable {
    case list, verify, dump, add, remove, refresh, choose

    /// The syntax of the arguments.
    var synopsis: String {
      let arguments =
        switch self {
        case .list, .dump: ""
        case .verify: " -d DOMAIN [-j FILE] [-u URL]..."
        case .add: " DOMAIN FILE"
        case .remove: " DOMAIN"
        case .refresh: " [DOMAIN...]"
        case .choose: " ID DOMAIN CHOICE"
        }
      return "links \(rawValue)\(arguments)"
    }
  }

  enum Action: Equatable {
    case list
    case verify(WebHost, file: String?, urls: [String])
    case dump
    case add(WebHost, file: String)
    case remove(WebHost)
    case refresh([WebHost])
    /// Nil removes the choice.
    case choose(String, WebHost, LinkChoice?)
  }

  private(set) var action = Action.list
  private(set) var json = false
  private(set) var asksForHelp = false

  /// Nil for a command line of another verb.
  init?(_ arguments: [String]) throws(CommandFailure) {
    guard let place = arguments.firstIndex(where: { !$0.hasPrefix("-") }),
      arguments[place] == lsregister.Verb.links.rawValue
    else { return nil }
    var rest = arguments
    rest.remove(at: place)
    var operands: [String] = []
    var domain: String?
    var file: String?
    var urls: [String] = []
    for argument in try Argument<LinksFlag>.parse(rest) {
      switch argument {
      case .operand(let operand): operands.append(operand)
      case .option(.domain, let value): domain = value
      case .option(.file, let value): file = value
      case .option(.url, let value): urls.append(value)
      case .option(.json, _): json = true
      case .option(.help, _): asksForHelp = true
      }
    }
    if asksForHelp { return }
    let more = "see 'lsregister links --help'"
    let name = operands.first ?? "list"
    guard let verb = Verb(rawValue: name) else {
      let known = Verb.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("'\(name)' is not an action of links; the actions are \(known); \(more)")
    }
    let misfit = CommandFailure.usage(
      "these arguments are not valid; write: lsregister \(verb.synopsis); \(more)")
    guard verb == .verify || (domain == nil && file == nil && urls.isEmpty) else { throw misfit }
    operands = Array(operands.dropFirst())
    switch (verb, operands.count) {
    case (.list, 0): action = .list
    case (.dump, 0): action = .dump
    case (.verify, 0):
      guard let domain else { throw misfit }
      action = .verify(try Self.host(domain), file: file, urls: urls)
    case (.add, 2): action = .add(try Self.host(operands[0]), file: operands[1])
    case (.remove, 1): action = .remove(try Self.host(operands[0]))
    case (.refresh, _):
      action = .refresh(try operands.map { text throws(CommandFailure) in try Self.host(text) })
    case (.choose, 3):
      let choice = LinkChoice(rawValue: operands[2])
      guard choice != nil || operands[2] == "unspecified" else {
        throw .usage(
          "'\(operands[2])' is not a choice; the choices are application, browser, unspecified; write:"
            + " lsregister \(verb.synopsis); \(more)")
      }
      action = .choose(operands[0], try Self.host(operands[1]), choice)
    case (.list, _), (.dump, _), (.verify, _), (.add, _), (.remove, _), (.choose, _): throw misfit
    }
  }

  /// Whether the action changes something and prints nothing by itself.
  var isChange: Bool {
    switch action {
    case .list, .verify, .dump: false
    case .add, .remove, .refresh, .choose: true
    }
  }

  /// The host of an argument. Also accepts an entry as printed by 'links list': the file of `*.example.com`
  /// is that of `example.com` (R8.3).
  private static func host(_ text: String) throws(CommandFailure) -> WebHost {
    if let host = WebHost(text), host.isFullyQualified { return host }
    let service = "applinks:"
    let entry = text.hasPrefix(service) ? text : service + text
    guard let domain = (try? AssociatedDomain.read(entry))?.domain else {
      throw .usage("'\(text)' is not a host; give its name alone, such as example.com")
    }
    return domain
  }
}
