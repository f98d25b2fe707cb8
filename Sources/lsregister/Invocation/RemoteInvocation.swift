internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// A parsed command line `lsregister remote`.
struct RemoteInvocation: Equatable {
  enum Verb: String, CaseIterable {
    case list, add, remove, allow, ask, deny, send, keep
    case allowCallback = "allow-callback"
    case denyCallback = "deny-callback"

    /// The syntax of the arguments.
    var synopsis: String {
      switch self {
      case .list: "remote [list]"
      case .add: "remote add NAME [--allow SCHEME]..."
      case .remove, .allowCallback, .denyCallback: "remote \(rawValue) NAME"
      case .allow, .ask, .deny: "remote \(rawValue) NAME SCHEME..."
      case .send, .keep: "remote \(rawValue) NAME (SCHEME | HOST)..."
      }
    }
  }

  enum Action: Equatable {
    case list
    case add(RemoteName, allowing: [URLScheme])
    case remove(RemoteName)
    case choose(RemoteRights.Choice, RemoteName, [URLScheme])
    case setCallbacks(RemoteName, areForwarded: Bool)
    case setRules(RemoteName, [MachineRules.Subject], areSent: Bool)
  }

  let action: Action

  /// - Parameters:
  ///   - operands: without the verb `remote`.
  ///   - allowed: the values of the option `--allow`.
  init(_ operands: [String], allowed: [String]) throws(CommandFailure) {
    let more = "see 'lsregister remote --help'"
    let name = operands.first ?? "list"
    guard let verb = Verb(rawValue: name) else {
      let known = Verb.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("'\(name)' is not an action of remote; the actions are \(known); \(more)")
    }
    let misfit = CommandFailure.usage(
      "these arguments are not valid; write: lsregister \(verb.synopsis); \(more)")
    guard verb == .add || allowed.isEmpty else { throw misfit }
    switch (verb, operands.count) {
    case (.list, 0...1): action = .list
    case (.add, 2):
      action = .add(
        try Self.name(operands[1]),
        allowing: try allowed.map { text throws(CommandFailure) in
          let scheme = try Self.scheme(text)
          if let objection = RemoteRights.objection(toAllowing: scheme) { throw .usage(objection) }
          return scheme
        })
    case (.remove, 2): action = .remove(try Self.name(operands[1]))
    case (.allowCallback, 2), (.denyCallback, 2):
      action = .setCallbacks(try Self.name(operands[1]), areForwarded: verb == .allowCallback)
    case (.allow, 3...): action = try Self.choose(.allow, operands)
    case (.ask, 3...): action = try Self.choose(.ask, operands)
    case (.deny, 3...): action = try Self.choose(.deny, operands)
    case (.send, 3...), (.keep, 3...):
      action = .setRules(
        try Self.name(operands[1]),
        try operands.dropFirst(2).map { text throws(CommandFailure) in try Self.subject(text) },
        areSent: verb == .send)
    default: throw misfit
    }
  }

  private static func choose(
    _ choice: RemoteRights.Choice, _ operands: [String]
  ) throws(CommandFailure) -> Action {
    .choose(
      choice, try name(operands[1]),
      try operands.dropFirst(2).map { text throws(CommandFailure) in try scheme(text) })
  }

  private static func name(_ text: String) throws(CommandFailure) -> RemoteName {
    guard let name = RemoteName(text) else {
      throw .usage(
        "'\(text)' is not a name of a remote: a letter or digit, then letters, digits, '.', '_' and '-', at"
          + " most \(RemoteName.longest) characters")
    }
    return name
  }

  private static func subject(_ text: String) throws(CommandFailure) -> MachineRules.Subject {
    guard let subject = MachineRules.Subject(text) else {
      throw .usage("'\(text)' is neither a scheme nor a host; \(RemoteCall.subjectForms)")
    }
    if let objection = MachineRules.objection(toSending: subject) { throw .usage(objection) }
    return subject
  }

  private static func scheme(_ text: String) throws(CommandFailure) -> URLScheme {
    guard let scheme = URLScheme(text) else {
      throw .usage("'\(text)' is not a URL scheme; give its name alone, such as 'vscode'")
    }
    return scheme
  }
}
