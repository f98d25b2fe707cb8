/// The options of one command, each written once: the parser and the help text read them here.
package protocol CommandOption: Hashable, CaseIterable, Sendable {
  var spelling: OptionSpelling { get }
}

extension CommandOption {
  /// How a message names it.
  package var name: String { "--" + spelling.long }
}

/// How one option is written, and what the help text says of it.
package struct OptionSpelling: Sendable {
  package enum Value: Sendable {
    case none
    /// One value, by the name the help text gives it.
    case one(String)
    /// All arguments that follow, whatever they look like.
    case rest(String)
  }

  let short: Character?
  let long: String
  let value: Value
  let help: String
  /// Understood, but of no use to people: no help text and no shell offers it.
  let isHidden: Bool

  package init(
    _ long: String, short: Character? = nil, _ value: Value = .none, help: String,
    isHidden: Bool = false
  ) {
    self.short = short
    self.long = long
    self.value = value
    self.help = help
    self.isHidden = isHidden
  }

  /// Such as `-b, --application ID`.
  var synopsis: String {
    let names = (short.map { "-\($0), " } ?? "    ") + "--" + long
    switch value {
    case .none: return names
    case .one(let value), .rest(let value): return "\(names) \(value)"
    }
  }
}
