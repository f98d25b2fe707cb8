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
  case nothing
  case path
  /// The identifiers of registered applications, requested from the daemon.
  case application
  case words([String])
}

/// The completion data of a command, from the tables that the parser uses, so that completions match the
/// accepted arguments.
package struct CompletedCommand {
  package struct Verb {
    let name: String
    let summary: String
    let options: [OptionSpelling]
    let operand: CompletedWord

    package init<Option: CommandOption>(
      _ name: String, summary: String, options: [Option], operand: CompletedWord
    ) {
      self.name = name
      self.summary = summary
      self.options = options.map(\.spelling)
      self.operand = operand
    }
  }

  let name: String
  let options: [OptionSpelling]
  /// Empty for a command without verbs.
  let verbs: [Verb]
  /// The kind of each operand of a command without verbs.
  let operand: CompletedWord

  package init<Option: CommandOption>(
    _ name: String, options: [Option], verbs: [Verb] = [], operand: CompletedWord = .nothing
  ) {
    self.name = name
    self.options = options.map(\.spelling).filter { !$0.isHidden }
    self.verbs = verbs
    self.operand = operand
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
}

extension OptionSpelling {
  /// The kind of the option's value; nil for an option without value.
  var completedValue: CompletedWord? {
    switch value {
    case .none: nil
    case .one("ID"): .application
    case .one("PATH"), .one("FOLDER"), .rest: .path
    case .one: .nothing
    }
  }

  /// The spellings of the option, such as `-b` and `--application`.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + long] }
}
