internal import BuildSettings
internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules
internal import StubApplications

/// A parsed command line of `lsregister`.
struct RegisterInvocation: Equatable {
  enum Action: Equatable {
    /// The unchanged paths.
    case add([String])
    case remove([String])
    case list
    case show(String)
    case apps
    case handlers(HandledSubject)
    case printDefault(HandledSubject)
    /// Nil removes the user's choice.
    case setDefault(HandledSubject, String?)
    /// The type of a file; the path is unchanged.
    case type(String)
    case lint([String])
    case dump(coreTypes: Bool)
    case dumpGraph
    case macOS(MacInvocation)
    case reload
    case monitor
    /// Without schemes, enable changes no default, and disable undoes everything that enable did.
    case desktop(DesktopVerb, [URLScheme], all: Bool)
    /// The operands, which the program for desktops parses.
    case handover([String])
    /// The operands, which the program for desktops parses.
    case guarding([String])
    case approvals(RegisterCommand.ApprovalAction)
    case links(LinksInvocation)
    case remote(RemoteInvocation)
    case devices
    case completions(CompletingShell)
    case help(Verb?)
    case version
  }

  let action: Action
  /// The build variables of `add` and `lint`. Paths are unchanged.
  private(set) var build = BuildRequest()
  /// What the stand-in of `add --stub` does; nil without one.
  private(set) var standIn: StubBehaviour?
  private(set) var lint = LintOptions()
  private(set) var json = false

  /// Fails with `ExitCode.usage`.
  init(_ arguments: [String]) throws(CommandFailure) {
    if let mac = try MacInvocation(arguments) {
      action = mac.showsHelp ? .help(nil) : .macOS(mac)
      return
    }
    if let links = try LinksInvocation(arguments) {
      json = links.json
      action = links.asksForHelp ? .help(.links) : .links(links)
      return
    }
    var used: [RegisterFlag] = []
    var operands: [String] = []
    var opener: String?
    var allowed: [String] = []
    var shell: CompletingShell?
    for argument in try Argument<RegisterFlag>.parse(arguments) {
      switch argument {
      case .operand(let operand): operands.append(operand)
      case .option(let flag, let value):
        used.append(flag)
        switch flag {
        case .define, .xcconfig, .xcode, .target, .configuration, .team, .sdk, .platform:
          try build.take(flag, value)
        case .stub: standIn = standIn ?? .accepting
        case .behaviour:
          do throws(StubBehaviour.Wrong) {
            standIn = try StubBehaviour(word: value)
          } catch {
            throw .usage("option '\(flag.name)': \(error.problem)")
          }
        case .strict: lint.isStrict = true
        case .registry: lint.usesRegistry = true
        case .showBuildSettings: lint.showsBuildSettings = true
        case .format: lint.format = try LintFormat(option: value)
        case .opener: opener = value
        case .allow: allowed.append(value)
        case .json: json = true
        case .completions: shell = try CompletingShell(option: flag.name, value: value)
        case .unset, .all, .dot, .coreTypes, .help, .version: break
        }
      }
    }
    let verb = try operands.first.map { text throws(CommandFailure) in
      guard let verb = Verb(rawValue: text) else { throw .usage("'\(text)' is not a verb") }
      return verb
    }
    if used.contains(.help) {
      action = .help(verb)
    } else if used.contains(.version) {
      action = .version
    } else if let shell {
      action = .completions(shell)
    } else if let verb {
      if let wrong = used.first(where: { !verb.flags.contains($0) }) {
        throw .usage("option '\(wrong.name)' does not go with '\(verb.rawValue)'")
      }
      if used.contains(.dot), json {
        throw .usage("options '--dot' and '--json' exclude each other")
      }
      if used.contains(.dot), used.contains(.coreTypes) {
        throw .usage("options '--dot' and '--core-types' exclude each other")
      }
      if used.contains(.format), json {
        throw .usage("options '--format' and '--json' exclude each other")
      }
      if let misfit = used.first(where: { [.target, .configuration].contains($0) }),
        build.project == nil
      {
        throw .usage("option '\(misfit.name)' needs --xcode")
      }
      if used.contains(.behaviour), !used.contains(.stub) {
        throw .usage("option '--behaviour' needs --stub")
      }
      if json { lint.format = .json }
      let operands = Array(operands.dropFirst())
      action =
        switch verb {
        case .lint where operands.isEmpty && build.project != nil: .lint([])
        case .add where operands.isEmpty && build.project != nil: .add([])
        case .remote: .remote(try RemoteInvocation(operands, allowed: allowed))
        case .approvals: .approvals(try Self.approvals(operands, opener: opener))
        case .dump where operands.isEmpty:
          used.contains(.dot) ? .dumpGraph : .dump(coreTypes: used.contains(.coreTypes))
        default:
          try Self.action(verb, operands, unset: used.contains(.unset), all: used.contains(.all))
        }
    } else {
      throw .usage("there is no verb")
    }
  }

  private static func action(
    _ verb: Verb, _ operands: [String], unset: Bool, all: Bool
  ) throws(CommandFailure) -> Action {
    switch (verb, operands.count) {
    case _ where operands.contains(""): throw .usage("'\(verb.rawValue)' has an empty argument")
    case (.add, 1...): return .add(operands)
    case (.remove, 1...): return .remove(operands)
    case (.list, 0): return .list
    case (.show, 1): return .show(operands[0])
    case (.apps, 0): return .apps
    case (.handlers, 1): return .handlers(try HandledSubject(operands[0]))
    case (.default, 1):
      let subject = try HandledSubject(operands[0])
      return unset ? .setDefault(subject, nil) : .printDefault(subject)
    case (.default, 2) where !unset:
      return .setDefault(try HandledSubject(operands[0]), operands[1])
    case (.type, 1): return .type(operands[0])
    case (.lint, 1...): return .lint(operands)
    case (.reload, 0): return .reload
    case (.monitor, 0): return .monitor
    case (.devices, 0): return .devices
    case (.handover, 0...8): return .handover(operands)
    case (.guard, 0...2): return .guarding(operands)
    case (.desktop, 1...):
      guard let action = desktopAction(operands[0], try operands.dropFirst().map(scheme), all: all)
      else { fallthrough }
      return action
    default:
      throw .usage("these arguments are not valid; write: lsregister \(verb.synopsis)")
    }
  }

  /// Nil for invalid arguments.
  private static func desktopAction(
    _ text: String, _ schemes: [URLScheme], all: Bool
  ) -> Action? {
    guard let verb = DesktopVerb(rawValue: text) else { return nil }
    switch (verb, schemes.isEmpty, all) {
    case (.enable, true, true), (.enable, _, false), (.disable, _, false), (.status, true, false):
      return .desktop(verb, schemes, all: all)
    case (.enable, false, true), (.disable, _, true), (.status, _, _): return nil
    }
  }

  private static func approvals(
    _ operands: [String], opener: String?
  ) throws(CommandFailure) -> RegisterCommand.ApprovalAction {
    if operands.contains("") { throw .usage("'approvals' has an empty argument") }
    switch (operands.first ?? "list", operands.count) {
    case ("list", 0...1) where opener == nil: return .list
    case ("allow", 3), ("deny", 3):
      do throws(BusError) {
        let key = Approvals.Key(
          opener: try Approval.opener(opener ?? "*"), scheme: try URLScheme(argument: operands[1]),
          handler: try Approval.handler(operands[2]))
        return .set([Approval(key, isAllowed: operands[0] == "allow")])
      } catch {
        throw .usage(error.text)
      }
    case ("reset", 1...3):
      return .reset(
        opener: opener ?? "", scheme: operands.count > 1 ? operands[1] : "",
        handler: operands.count > 2 ? operands[2] : "")
    case ("import", 2) where opener == nil: return .importFile(operands[1])
    case ("export", 2) where opener == nil: return .exportFile(operands[1])
    default:
      let forms = Verb.approvals.usage.map { "lsregister \($0)" }.joined(separator: ", or: ")
      throw .usage("these arguments are not valid; write: \(forms)")
    }
  }

  private static func scheme(_ text: String) throws(CommandFailure) -> URLScheme {
    guard let scheme = URLScheme(text) else {
      throw .usage("'\(text)' is not a URL scheme; give its name alone, such as 'mailto'")
    }
    return scheme
  }
}

extension RegisterInvocation.Action {
  /// The unchanged path of a file to be opened. The path is sent as a URL, so its name may contain any bytes.
  var file: String? {
    switch self {
    case .type(let path), .handlers(.file(let path)), .printDefault(.file(let path)),
      .setDefault(.file(let path), _):
      path
    default: nil
    }
  }
}
