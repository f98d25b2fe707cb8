internal import BusContract
internal import Commands

/// A parsed command line of `lsopen`.
struct OpenInvocation: Equatable {
  enum Action: Equatable {
    /// The unchanged URLs and paths.
    case open([Operand])
    /// Opens the application of `applicationName` or the options.
    case openApplication
    /// Shows the files, or without operands the application of `applicationName` or the options.
    case reveal([Operand])
    case canOpen(Operand)
    case explain(Operand)
    case quickAction(application: String, type: String)
    /// The bundle identifier of the application.
    case continueActivity(of: String)
    case history(UInt32)
    case completions(CompletingShell)
    case help
    case version
  }

  var action: Action
  var options = OpenOptions()
  /// The unchanged name or path of the designated application.
  var applicationName: String?
  var architecture: String?
  /// The files for the standard streams of a new process.
  var streams = StreamPaths()
  var waitsForExit = false
  /// The text editor, if one is the designated handler.
  var editor: OpenCommand.Editor?
  var readsStandardInput = false
  /// Whether URLs are sent unchanged.
  var isVerbatim = false
  /// In milliseconds.
  var timeout: Int32?
  var json = false

  /// Fails with `ExitCode.usage`.
  init(_ arguments: [String]) throws(CommandFailure) {
    var modes: [OpenFlag] = []
    var used: [OpenFlag] = []
    var operands: [Operand] = []
    var shell: CompletingShell?
    action = .open([])
    for argument in try Argument<OpenFlag>.parse(arguments) {
      switch argument {
      case .operand(let operand): operands.append(Operand(operand))
      case .option(let flag, let value):
        switch flag {
        case .canOpen, .explain, .quickAction, .history, .reveal, .continueActivity, .help,
          .version:
          modes.append(flag)
        case .completions: shell = try CompletingShell(option: flag.name, value: value)
        default:
          used.append(flag)
          if flag == .url { operands.append(Operand(value, isURL: true)) }
          try set(flag, value)
        }
      }
    }
    if let flag = [OpenFlag.help, .version].first(where: modes.contains) {
      action = flag == .help ? .help : .version
      return
    }
    if let shell {
      action = .completions(shell)
      return
    }
    if options.requestID != nil, operands.count > 1, modes.isEmpty {
      throw .usage("option '--request-id' requires exactly one URL or path")
    }
    if let second = modes.first(where: { $0 != modes[0] }) {
      throw .usage("options '\(modes[0].name)' and '\(second.name)' exclude each other")
    }
    if applicationName != nil, options.application != nil {
      throw .usage("options '--app' and '--application' exclude each other")
    }
    try checkEditor(operands)
    if options.device != nil, hasApplication || editor != nil || options.universalLinksOnly {
      throw .usage(
        "option '--on' cannot be combined with an application, a text editor and"
          + " '--universal-links-only'")
    }
    action = try Self.action(
      modes.first, operands, hasApplication: hasApplication || editor != nil,
      readsStandardInput: readsStandardInput, takesRest: used.contains(.arguments))
    if case .continueActivity = action, options.device == nil {
      throw .usage("option '--continue' needs a device: lsopen --continue ID --on NAME")
    }
    let allowed = action.flags
    if let wrong = used.first(where: { !allowed.contains($0) }) {
      throw .usage("option '\(wrong.name)' does not go with '\(modes[0].name)'")
    }
  }

  /// Whether an application is designated.
  private var hasApplication: Bool { applicationName != nil || options.application != nil }

  /// Checks the use of text editors. `-f` alone opens with the default text editor.
  private mutating func checkEditor(_ operands: [Operand]) throws(CommandFailure) {
    if readsStandardInput {
      guard operands.isEmpty else {
        throw .usage("option '--from-stdin' cannot be combined with a URL or path")
      }
      if !hasApplication { editor = editor ?? .standard }
    }
    if editor != nil, hasApplication {
      throw .usage("a text editor and '--app' or '--application' exclude each other")
    }
  }

  private static func action(
    _ mode: OpenFlag?, _ operands: [Operand], hasApplication: Bool, readsStandardInput: Bool,
    takesRest: Bool
  ) throws(CommandFailure) -> Action {
    if operands.contains(where: \.text.isEmpty) {
      throw .usage("an empty argument is neither a URL nor a path")
    }
    switch mode {
    case .canOpen?: return .canOpen(try single(operands, for: .canOpen))
    case .explain?: return .explain(try single(operands, for: .explain))
    case .quickAction?:
      guard operands.count == 2 else {
        throw .usage("option '--quick-action' takes two arguments: ID TYPE")
      }
      return .quickAction(
        application: try text(operands[0]), type: try text(operands[1]))
    case .continueActivity?:
      guard operands.count == 1 else { throw .usage("option '--continue' takes one argument: ID") }
      return .continueActivity(of: try text(operands[0]))
    case .reveal?:
      guard operands.isEmpty == hasApplication else {
        throw .usage("option '--reveal' takes files, or else an application with -a or -b")
      }
      return .reveal(operands)
    case .history?:
      let count = operands.first.map { UInt32($0.text) ?? 0 } ?? 20
      guard operands.count <= 1, (1...HistoryOptions.mostEntries).contains(count) else {
        throw .usage("option '--history' takes one number, from 1 to \(HistoryOptions.mostEntries)")
      }
      return .history(count)
    default:
      if operands.isEmpty, hasApplication, !readsStandardInput { return .openApplication }
      if operands.isEmpty, !readsStandardInput {
        throw .usage(
          "there is no URL or path to open"
            + (takesRest ? "; option '--args' takes all that follows, so write URLs before it" : "")
        )
      }
      return .open(operands)
    }
  }

  private static func text(_ operand: Operand) throws(CommandFailure) -> String {
    if operand.text.hasEscapedBytes { throw .notUTF8(operand.text) }
    return operand.text
  }

  private static func single(
    _ operands: [Operand], for flag: OpenFlag
  ) throws(CommandFailure) -> Operand {
    guard operands.count == 1 else { throw .usage("option '\(flag.name)' takes one URL") }
    return operands[0]
  }
}
