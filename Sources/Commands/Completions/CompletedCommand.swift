/// A shell whose completions a command can print.
package enum CompletingShell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// Fails with `ExitCode.usage`.
  package init(option: String, value: String) throws(CommandFailure) {
    guard let shell = Self(rawValue: value) else {
      let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("option '\(option)' needs one of \(known), not '\(value)'")
    }
    self = shell
  }
}

/// The candidates that a shell offers at one place of a command line.
package enum CompletedWord: Hashable, Sendable {
  case path
  /// The identifiers of registered applications, requested from the daemon, as all that follow but `host`.
  case application
  /// The names of registered applications.
  case name
  /// The schemes that registered applications claim.
  case scheme
  /// The same schemes, each with the colon with which a URL begins.
  case address
  /// The names of remotes.
  case remote
  /// Hosts that the shell knows.
  case host
  case words([String])

  /// The word of the scripts for the kind; nil for words, which the scripts contain.
  var kind: String? {
    switch self {
    case .path: "path"
    case .application: "application"
    case .name: "name"
    case .scheme: "scheme"
    case .address: "address"
    case .remote: "remote"
    case .host: "host"
    case .words: nil
    }
  }
}

/// The candidates for the operands of a command, of a verb or of an action.
package struct CompletedOperands: Sendable {
  /// The candidates for each operand. Those of the last place are offered for all further operands.
  let places: [[CompletedWord]]
  /// The candidates for the operands after an action, which is the first operand.
  let actions: [(name: String, places: [[CompletedWord]])]

  package init(_ places: [CompletedWord]..., after actions: [(String, [[CompletedWord]])] = []) {
    self.places = places
    self.actions = actions
  }

  /// An operand that is one of some actions, and the operands of each.
  package static func actions(_ actions: [(String, [[CompletedWord]])]) -> Self {
    Self([.words(actions.map(\.0))], [], after: actions)
  }

  /// A case of a script: the beginning and the end of the text `NAME COUNT FIRST`, with the number of the operands before
  /// the cursor and the first of them, and what is offered there.
  struct Row {
    let beginning: String
    let end: String
    let words: [CompletedWord]
  }

  /// The cases of a verb or mode, in the order in which they have to be compared.
  func rows(_ name: String) -> [Row] {
    var rows: [Row] = []
    for (action, places) in actions {
      rows += Self.rows(of: places, from: 1, "\(name) ", " \(action)")
    }
    return rows + Self.rows(of: places, from: 0, "\(name) ", "")
  }

  private static func rows(
    of places: [[CompletedWord]], from first: Int, _ name: String, _ action: String
  ) -> [Row] {
    guard let last = places.last else {
      return action.isEmpty ? [] : [Row(beginning: name, end: action, words: [])]
    }
    return places.dropLast().enumerated().map { index, words in
      Row(
        beginning: "\(name)\(first + index)\(action.isEmpty ? " " : "")", end: action, words: words)
    } + [Row(beginning: name, end: action, words: last)]
  }
}

/// The completion data of a command, from the tables that the parser uses, so that completions match the
/// accepted arguments.
package struct CompletedCommand {
  package struct Verb {
    let name: String
    let summary: String
    let options: [OptionSpelling]
    let operands: CompletedOperands

    package init<Option: CommandOption>(
      _ name: String, summary: String, options: [Option], operands: CompletedOperands
    ) {
      self.name = name
      self.summary = summary
      self.options = options.map(\.spelling)
      self.operands = operands
    }
  }

  let name: String
  let options: [OptionSpelling]
  /// Empty for a command without verbs.
  let verbs: [Verb]
  /// The operands of a command without verbs.
  private let operands: CompletedOperands
  /// Options that change what the operands of a command without verbs are.
  let modes: [(option: OptionSpelling, operands: CompletedOperands)]

  package init<Option: CommandOption>(
    _ name: String, options: [Option], verbs: [Verb] = [],
    operands: CompletedOperands = CompletedOperands(),
    modes: [(Option, CompletedOperands)] = []
  ) {
    self.name = name
    self.options = options.map(\.spelling).filter { !$0.isHidden }
    self.verbs = verbs
    self.operands = operands
    self.modes = modes.map { ($0.0.spelling, $0.1) }
  }

  /// The mode without any of the options of `modes`.
  static let plainMode = "-"

  /// The cases for all operands, of the verb or mode that is the first word of the text.
  var rows: [CompletedOperands.Row] {
    verbs.flatMap { $0.operands.rows($0.name) }
      + modes.flatMap { $0.operands.rows("--" + $0.option.long) }
      + operands.rows(Self.plainMode)
  }

  /// The options with a value, of the command and of its verbs, without repetition.
  var valuedOptions: [OptionSpelling] {
    var known: Set<String> = []
    return (options + verbs.flatMap(\.options)).filter {
      guard case .one = $0.value else { return false }
      return known.insert($0.long).inserted
    }
  }

  /// The lines of the completion script for a shell.
  package func script(for shell: CompletingShell) -> [String] {
    switch shell {
    case .bash: BashCompletions(command: self).lines
    case .zsh: ZshCompletions(command: self).lines
    case .fish: FishCompletions(command: self).lines
    }
  }

  /// The first line of each script.
  func origin(_ shell: CompletingShell) -> String {
    "# Completions of \(name), as printed by '\(name) --completions \(shell.rawValue)'."
  }

  /// A line of `lsregister list`, as a regular expression: identifier, version, state, schemes, name.
  static let listedApplication = "^([^ ]+) +[^ ]+ +(not running|[^ ]+) +([^ ]+) +(.*)$"
}

extension OptionSpelling {
  /// The kinds of the option's value; nil for an option without value.
  var completedValue: [CompletedWord]? {
    switch value {
    case .none: nil
    case .one where !offers.isEmpty: offers
    case .one("ID"): [.application]
    case .one("PATH"), .one("FOLDER"), .one("FILE"), .one("PROJECT"), .rest: [.path]
    case .one("SCHEME"): [.scheme]
    case .one("URL"): [.address]
    case .one: []
    }
  }

  /// The spellings of the option, such as `-b` and `--application`.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + long] }
}
