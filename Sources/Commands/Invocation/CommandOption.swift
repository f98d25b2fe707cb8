/// The options of a command. The parser and the help text use the same table.
package protocol CommandOption: Hashable, CaseIterable, Sendable where AllCases == [Self] {
  var spelling: OptionSpelling { get }
}

extension CommandOption {
  /// The name of the option in messages.
  package var name: String { "--" + spelling.long }
}

/// The spelling of an option, and its help text.
package struct OptionSpelling: Sendable {
  package enum Value: Sendable {
    case none
    /// One value, with its name in the help text.
    case one(String)
    /// All following arguments, including those that look like options.
    case rest(String)
  }

  let short: Character?
  let long: String
  let value: Value
  let help: String
  /// Whether the option is left out of help texts and completions.
  let isHidden: Bool
  /// What completions offer for the value; empty if the name of the value decides.
  let offers: [CompletedWord]

  package init(
    _ long: String, short: Character? = nil, _ value: Value = .none, help: String,
    isHidden: Bool = false, offers: [CompletedWord] = []
  ) {
    self.short = short
    self.long = long
    self.value = value
    self.help = help
    self.isHidden = isHidden
    self.offers = offers
  }

  package static let version = OptionSpelling("version", help: "print the version")
  /// Prints the completions for a shell.
  package static let completions = OptionSpelling(
    "completions", .one("SHELL"), help: "print the completions for bash, zsh or fish",
    isHidden: true)

  /// The option in the help text, such as `-b, --application ID`.
  var synopsis: String {
    let names = (short.map { "-\($0), " } ?? "    ") + "--" + long
    switch value {
    case .none: return names
    case .one(let value), .rest(let value): return "\(names) \(value)"
    }
  }
}
