internal import BusContract
internal import Commands

extension OpenInvocation {
  /// Applies one option.
  mutating func set(_ flag: OpenFlag, _ value: String) throws(CommandFailure) {
    // Only options with file names accept text that is not UTF-8.
    if value.hasEscapedBytes, !Self.files.contains(flag) { throw .notUTF8(value) }
    switch flag {
    case .actAs: options.actAs = value
    case .applicationName:
      if value.isEmpty { throw .usage("option '--app' needs the name or path of an application") }
      applicationName = value
    case .architecture: architecture = value
    case .application: options.application = value
    case .device:
      guard (1...OpenOptions.longestDeviceName).contains(value.utf8.count) else {
        throw .usage(
          "option '--on' needs the name or the identifier of a device: 1 to"
            + " \(OpenOptions.longestDeviceName) bytes")
      }
      options.device = value
    case .new: options.newInstance = true
    case .background: options.activate = false
    case .hide:
      options.activate = false
      options.hidden = true
    case .fresh: options.fresh = true
    case .wait: waitsForExit = true
    case .standardInput: streams.input = value
    case .standardOutput: streams.output = value
    case .standardError: streams.error = value
    case .timeout: timeout = try Self.milliseconds(value)
    case .environment:
      let variable = splitDefinition(value) ?? (name: value, value: "")
      if variable.name.isEmpty || variable.name.hasPrefix("=") {
        throw .usage("option '--env' needs NAME=VALUE, not '\(value)'")
      }
      options.environment[variable.name] = variable.value
    case .arguments: options.arguments.append(value)
    case .requestID:
      guard OpenOptions.isRequestID(value) else {
        throw .usage("option '--request-id' needs 1 to 128 visible ASCII characters")
      }
      options.requestID = value
    case .noAsk: options.interactive = false
    case .fromLink: options.isLink = true
    case .verbatim: isVerbatim = true
    case .textEdit: editor = .textEdit
    case .textEditor: editor = editor ?? .standard
    case .fromStandardInput: readsStandardInput = true
    case .linksOnly: options.universalLinksOnly = true
    case .json: json = true
    case .canOpen, .explain, .quickAction, .history, .reveal, .continueActivity, .url, .completions,
      .help, .version:
      break
    }
  }

  private static let files: [OpenFlag] = [
    .standardInput, .standardOutput, .standardError, .applicationName,
  ]

  private static func milliseconds(_ text: String) throws(CommandFailure) -> Int32 {
    guard let seconds = Double(text), (0.001...2_000_000).contains(seconds) else {
      throw .usage("option '--timeout' needs seconds from 0.001 to 2000000, not '\(text)'")
    }
    return Int32(seconds * 1000)
  }
}

extension OpenInvocation.Action {
  /// The options that apply to this kind of invocation.
  var flags: [OpenFlag] {
    let always: [OpenFlag] = [.actAs, .timeout, .json]
    let opening: [OpenFlag] = [
      .new, .background, .hide, .fresh, .wait, .standardInput, .standardOutput, .standardError,
      .environment, .architecture, .arguments, .requestID, .noAsk,
    ]
    let editing: [OpenFlag] = [.application, .textEdit, .textEditor, .fromStandardInput]
    switch self {
    case .canOpen: return always + [.applicationName, .application, .verbatim]
    case .explain:
      return always + [.applicationName, .application, .device, .fromLink, .linksOnly, .verbatim]
    case .quickAction: return always + opening
    case .continueActivity: return always + [.device, .requestID, .noAsk]
    case .history: return [.application, .timeout, .json]
    case .reveal: return [.applicationName, .application, .url, .verbatim, .timeout, .json]
    case .open, .openApplication, .completions, .help, .version:
      return always + opening + editing + [
        .applicationName, .device, .url, .fromLink, .linksOnly, .verbatim,
      ]
    }
  }
}
