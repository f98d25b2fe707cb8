internal import BusContract
internal import Commands
internal import LaunchRules

/// The options of `launchservices-desktop`.
enum DesktopFlag: CommandOption {
  case all, application, handOver, program, idle, without, json, help, version

  var spelling: OptionSpelling {
    switch self {
    case .all: .init("all", help: "with enable: for every scheme that is exported")
    case .application:
      .init(
        "application", .one("ID"),
        help: "as a handler: pass every URL to this desktop application, not to the default")
    case .handOver:
      .init(
        DesktopBridge.handOverOption, .one("WORD"),
        help: "as a handler: a word of the protocol in which the running application takes URLs")
    case .program:
      .init(
        DesktopBridge.programOption, .rest("COMMAND..."),
        help: "as a handler: the command line of the application, after which each URL is put")
    case .idle:
      .init(
        "idle", .one("SECONDS"), help: "as a handler: end after so long without work; 30 unless set"
      )
    case .without:
      .init(
        DesktopBridge.withoutOption, .one("PATH"),
        help: "with list: leave out this file, whose file system does not answer; may be repeated")
    case .json: .init("json", help: "print the answer as one line of JSON")
    case .help: .init("help", short: "h", help: "print this text")
    case .version: .version
    }
  }
}

/// The contents of one command line of `launchservices-desktop`.
struct DesktopInvocation: Equatable {
  enum Action: Equatable {
    /// Pass URLs to desktop applications, until no URL has arrived for this number of seconds.
    /// - Parameter application: nil for the defaults of the desktop.
    case handle(application: BridgedApplication?, idle: Int)
    /// - Parameter silent: paths of files whose file systems do not answer.
    case list(without: [String])
    case export
    case enable([URLScheme])
    case enableAll
    /// Empty for all schemes.
    case disable([URLScheme])
    case withdraw
    case status
    /// Print the MIME types of the files of these URLs.
    case types([String])
    /// Nil for all applications.
    case printHandOver(of: String?)
    /// Nil for the entry of the table.
    case chooseHandOver(of: String, HandOverChoices.Choice?)
    case guarding(GuardAction)
    /// Print why the application would get no URL now.
    case checkEndpoint(of: BridgedApplication)
    /// Print why the desktop entry with this desktop file ID is not used.
    case explainUnused(String)
    /// Print the MIME type of the file at this path.
    case fileType(String)
    /// Make the desktop file ID the default for the scheme.
    case setDefault(URLScheme, String)
    case help
    case version
  }

  let action: Action
  private(set) var json = false

  init(_ arguments: [String]) throws(CommandFailure) {
    var used: Set<DesktopFlag> = []
    var idle = 30
    var application: BridgedApplication?
    var words: [String] = []
    var silent: [String] = []
    var program: [String] = []
    var operands: [String] = []
    for argument in try Argument<DesktopFlag>.parse(arguments) {
      switch argument {
      case .operand(let operand): operands.append(operand)
      case .option(let flag, let value):
        used.insert(flag)
        switch flag {
        case .application: application = BridgedApplication(identifier: value)
        case .handOver: words.append(value)
        case .program: program.append(value)
        case .without: silent.append(value)
        case .all, .idle, .json, .help, .version: break
        }
        guard flag == .idle else { continue }
        guard let seconds = Int(value), (1...86_400).contains(seconds) else {
          throw .usage("--idle: '\(value)' is not a number of seconds from 1 to 86,400")
        }
        idle = seconds
      }
    }
    json = used.contains(.json)
    application?.declared = HandOverTable.Entry(words)
    application?.program = program
    if used.contains(.help) {
      action = .help
    } else if used.contains(.version) {
      action = .version
    } else if operands.first == "type" {
      action = .types(Array(operands.dropFirst()))
    } else if operands.first == "handover" {
      action = try Self.handOver(Array(operands.dropFirst()))
    } else if operands.first == DesktopBridge.unusedVerb, operands.count == 2 {
      action = .explainUnused(operands[1])
    } else if operands.first == "filetype", operands.count == 2 {
      action = .fileType(operands[1])
    } else if operands.first == "default", operands.count == 3, let scheme = URLScheme(operands[1])
    {
      action = .setDefault(scheme, operands[2])
    } else if operands == ["endpoint"], let application {
      action = .checkEndpoint(of: application)
    } else if operands == ["list"] {
      action = .list(without: silent)
    } else if operands.first == "guard" {
      action = .guarding(try GuardAction(Array(operands.dropFirst())))
    } else if let verb = operands.first {
      action = try Self.action(
        verb, try Self.schemes(operands.dropFirst()), all: used.contains(.all))
    } else if ProcessArguments.environment(Contract.tokenVariable) != nil {
      action = .handle(application: application, idle: idle)
    } else {
      throw .usage("there is no verb, and launchservicesd has not started this process")
    }
  }

  private static func handOver(_ operands: [String]) throws(CommandFailure) -> Action {
    guard let identifier = operands.first else { return .printHandOver(of: nil) }
    guard identifier.contains("."), BundleIdentifier(identifier) != nil else {
      throw .usage(
        "'\(identifier)' is no desktop file ID, such as firefox.desktop, and no bundle identifier"
          + CommandFailure.listHint)
    }
    let words = Array(operands.dropFirst())
    if words.isEmpty { return .printHandOver(of: identifier) }
    if words == ["default"] { return .chooseHandOver(of: identifier, nil) }
    if words.count == 1, words[0] != HandOverChoices.Choice.noneWord,
      HandOverProtocol(rawValue: words[0]) != nil
    {
      throw .usage(
        "'\(words[0])' needs the place where the application takes URLs; see: lsregister handover --help"
      )
    }
    guard let choice = HandOverChoices.Choice(words) else {
      throw .usage(
        "'\(words.joined(separator: " "))' is no way to hand a URL over; see: lsregister handover"
          + " --help")
    }
    return .chooseHandOver(of: identifier, choice)
  }

  private static func action(
    _ verb: String, _ schemes: [URLScheme], all: Bool
  ) throws(CommandFailure) -> Action {
    switch (verb, schemes.isEmpty, all) {
    case ("export", true, false): .export
    case ("enable", true, true): .enableAll
    case ("enable", _, false): .enable(schemes)
    case ("disable", _, false): .disable(schemes)
    case ("withdraw", true, false): .withdraw
    case ("status", true, false): .status
    default: throw .usage("these arguments are not valid")
    }
  }

  private static func schemes(_ texts: ArraySlice<String>) throws(CommandFailure) -> [URLScheme] {
    var schemes: [URLScheme] = []
    for text in texts {
      guard let scheme = URLScheme(text) else {
        throw .usage("'\(text)' is not a URL scheme; give its name alone, such as 'mailto'")
      }
      schemes.append(scheme)
    }
    return schemes
  }

  static var help: HelpText {
    var help = HelpText(
      usage: ["launchservices-desktop [OPTION]... VERB [SCHEME]..."],
      purpose: [
        "", "Exchanges URLs between Launch Services and desktop applications (freedesktop).",
        "launchservicesd starts it without a verb, to hand URLs to the user's desktop applications.",
        "People call the verbs enable, disable and status with 'lsregister desktop'.",
      ])
    help.section(
      "Verbs",
      [
        "export",
        "write the desktop entries of registered applications",
        "enable [SCHEME... | --all]",
        "export from now on; make the exported entries the default for the schemes",
        "disable [SCHEME...]",
        "restore the previous defaults; without SCHEME, also remove the exported entries",
        "withdraw",
        "undo enable without the daemon, which must not run; for an uninstallation",
        "status", "print the exported entries, and the default application of each scheme",
        "handover [ID [WAY]]", "print or choose how a running application gets URLs",
        "guard [ACTION]", "print or change how the default applications are guarded",
        "default SCHEME ID", "make the desktop entry the default for the scheme, for xdg-settings",
        "filetype FILE", "print the MIME type of the file, for xdg-mime",
        DesktopBridge.unusedVerb + " ID",
        "print why the desktop entry is not used, for lsregister and lsopen",
        "list", "print the desktop applications as a binary property list, for the daemon",
        "endpoint",
        "with --application: print why it would get no URL because of another process, for the daemon",
        "type URL...",
        "print the MIME type of each file: URL on a line, which is empty for one unknown",
      ])
    help.options(DesktopFlag.allCases)
    return help
  }
}
