internal import BuildSettings
internal import Commands
internal import InternationalHosts
internal import LaunchRules

/// The options of `lsregister links`, some of which are those of `swcutil`.
enum LinksFlag: CommandOption {
  case domain, file, url, site, against, package, format, strict
  case define, xcconfig, xcode, target, configuration, team, sdk, platform
  case server, certificates, json, help

  /// The option with the same meaning for `lint`; nil without one.
  var ofLint: RegisterFlag? {
    switch self {
    case .define: .define
    case .xcconfig: .xcconfig
    case .xcode: .xcode
    case .target: .target
    case .configuration: .configuration
    case .team: .team
    case .sdk: .sdk
    case .platform: .platform
    case .strict: .strict
    case .format: .format
    case .domain, .file, .url, .site, .against, .package, .server, .certificates, .json, .help: nil
    }
  }

  var spelling: OptionSpelling {
    switch self {
    case .domain:
      .init("domain", short: "d", .one("DOMAIN"), help: "use the association file of DOMAIN")
    case .file:
      .init("json-file", short: "j", .one("FILE"), help: "read the association file from FILE")
    case .url: .init("url", short: "u", .one("URL"), help: "test URL; may be repeated")
    case .site:
      .init(
        "site", .one("DOMAIN"),
        help: "ask the site DOMAIN, and check what it sends; may be repeated")
    case .against:
      .init(
        "against", .one("FILE"),
        help:
          "check the sites of a bundle or property list, or compare them with an association file")
    case .package:
      .init(
        "package", .one("NAME"), help: "an application of Android that assetlinks.json must name")
    case .xcode:
      .init(
        "xcode", .one("PROJECT"),
        help: "read build variables from NAME.xcodeproj, not from the project around FILE")
    case .define: RegisterFlag.define.spelling
    case .xcconfig: RegisterFlag.xcconfig.spelling
    case .target: RegisterFlag.target.spelling
    case .configuration: RegisterFlag.configuration.spelling
    case .team: RegisterFlag.team.spelling
    case .sdk: RegisterFlag.sdk.spelling
    case .platform: RegisterFlag.platform.spelling
    case .strict: RegisterFlag.strict.spelling
    case .format: RegisterFlag.format.spelling
    case .server:
      .init("server", .one("ADDRESS:PORT"), help: "ask there instead; for tests", isHidden: true)
    case .certificates:
      .init(
        "certificates", .one("FILE"), help: "trust these certificates; for tests", isHidden: true)
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .help: .init("help", short: "h", help: "print the help text")
    }
  }
}

/// A parsed command line `lsregister links`.
struct LinksInvocation: Equatable {
  enum Verb: String, CaseIterable {
    case list, verify, dump, add, remove, refresh, choose

    /// The syntax of each form of the arguments.
    var forms: [String] {
      let arguments =
        switch self {
        case .list, .dump: [""]
        case .verify:
          [" -d DOMAIN [-j FILE] [-u URL]...", " --site DOMAIN [-u URL]...", " --against FILE"]
        case .add: [" DOMAIN FILE"]
        case .remove: [" DOMAIN"]
        case .refresh: [" [DOMAIN...]"]
        case .choose: [" ID DOMAIN CHOICE"]
        }
      return arguments.map { "links \(rawValue)\($0)" }
    }

    /// The forms, for a message.
    var synopsis: String { forms.joined(separator: ", or: lsregister ") }
  }

  enum Action: Equatable {
    case list
    case verify(WebHost, file: String?, urls: [String])
    case verifySites(SiteChecks)
    case dump
    case add(WebHost, file: String)
    case remove(WebHost)
    case refresh([WebHost])
    /// Nil removes the choice.
    case choose(String, WebHost, LinkChoice?)
  }

  /// What is checked at sites. The path is unchanged.
  struct SiteChecks: Equatable {
    var sites: [WebHost] = []
    var urls: [String] = []
    var against: String?
    /// The build variables of the property list of `against`. Paths are unchanged.
    var build = BuildRequest()
    /// Options and values for the program that asks the sites.
    var passed: [String] = []
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
    var checks = SiteChecks()
    for argument in try Argument<LinksFlag>.parse(rest) {
      switch argument {
      case .operand(let operand): operands.append(operand)
      case .option(.domain, let value): domain = value
      case .option(.file, let value): file = value
      case .option(.url, let value): urls.append(value)
      case .option(.json, _): json = true
      case .option(.site, let value): checks.sites.append(try Self.host(value))
      case .option(.against, let value): checks.against = value
      case .option(.strict, _): checks.passed.append(LinksFlag.strict.name)
      case .option(.format, let value):
        _ = try LintFormat(option: value)
        checks.passed += ["--format", value]
      case .option(let flag, let value)
      where [.package, .server, .certificates].contains(flag):
        checks.passed += [flag.name, value]
      case .option(.help, _): asksForHelp = true
      case .option(let flag, let value):
        if let flag = flag.ofLint { try checks.build.take(flag, value) }
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
    guard
      verb == .verify
        || (domain == nil && file == nil && urls.isEmpty && checks == SiteChecks())
    else { throw misfit }
    operands = Array(operands.dropFirst())
    switch (verb, operands.count) {
    case (.list, 0): action = .list
    case (.dump, 0): action = .dump
    case (.verify, 0) where checks != SiteChecks():
      if domain != nil || file != nil, checks.passed.contains(LinksFlag.format.name) {
        throw .usage(
          "option '\(LinksFlag.format.name)' does not go with \(domain == nil ? "-j FILE" : "-d DOMAIN"); it goes"
            + " with --site DOMAIN and --against FILE; \(more)")
      }
      guard domain == nil, file == nil, checks.against != nil || !checks.sites.isEmpty else {
        throw misfit
      }
      guard checks.build == BuildRequest() || checks.against != nil else {
        throw .usage(
          "build variables are those of a property list: name it with --against; \(more)")
      }
      if checks.build.project == nil,
        checks.build.target != nil || checks.build.configuration != nil
      {
        throw .usage("options '--target' and '--configuration' need --xcode; \(more)")
      }
      if json { checks.passed += ["--format", "json"] }
      checks.urls = urls
      action = .verifySites(checks)
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
    case .list, .verify, .verifySites, .dump: false
    case .add, .remove, .refresh, .choose: true
    }
  }

  /// The host of an argument. Also accepts an entry as printed by 'links list': the file of `*.example.com`
  /// is that of `example.com` (R8.3).
  private static func host(_ text: String) throws(CommandFailure) -> WebHost {
    if let host = WebHost(text), host.isFullyQualified { return host }
    let service = "applinks:"
    let given = text.hasPrefix(service) ? String(text.dropFirst(service.count)) : text
    let entry = service + given.withHostInASCII(given.prefix { $0 != "?" })
    guard let domain = (try? AssociatedDomain.read(entry))?.domain else {
      throw .usage("'\(text)' is not a host; give its name alone, such as example.com")
    }
    return domain
  }
}

extension String {
  /// The text with a host in it as an open writes it, in Punycode where necessary; unchanged when the host has no such form.
  func withHostInASCII(_ host: Substring) -> String {
    guard host.utf8.contains(where: { $0 > 0x7f }) else { return self }
    let anyHost = "*."
    let start = host.hasPrefix(anyHost) ? host.index(host.startIndex, offsetBy: 2) : host.startIndex
    let name = host[start...]
    guard let ascii = try? InternationalHost.ascii(String(name)) else { return self }
    return self[..<start] + ascii + self[name.endIndex...]
  }
}
