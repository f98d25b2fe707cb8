/// One parsed argument of a command.
package enum Argument<Option: CommandOption>: Hashable, Sendable {
  /// The value is empty for an option without value. An option that takes the rest of the line appears once
  /// for each argument of the rest.
  case option(Option, String)
  case operand(String)
}

extension Argument {
  /// Parses arguments by GNU conventions: options and operands in any order, `--name VALUE`, `--name=VALUE`,
  /// `-n VALUE`, `-nVALUE`, combined short options, and `--` before operands that begin with `-`.
  package static func parse(_ arguments: [String]) throws(CommandFailure) -> [Argument] {
    var parsed: [Argument] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        parsed += rest.map(Argument.operand)
        rest = []
      } else if argument.hasPrefix("--") {
        parsed += try long(argument.dropFirst(2), &rest)
      } else if argument.hasPrefix("-"), argument != "-" {
        parsed += try short(argument.dropFirst(), &rest)
      } else {
        parsed.append(.operand(argument))
      }
    }
    return parsed
  }

  private static func long(
    _ argument: Substring, _ rest: inout ArraySlice<String>
  ) throws(CommandFailure) -> [Argument] {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let option = Option.allCases.first(where: { $0.spelling.long == parts[0] }) else {
      throw .usage("option '--\(parts[0])' is not known")
    }
    let attached = parts.count == 2 ? String(parts[1]) : nil
    return try take(option, as: option.name, attached, &rest)
  }

  private static func short(
    _ cluster: Substring, _ rest: inout ArraySlice<String>
  ) throws(CommandFailure) -> [Argument] {
    var parsed: [Argument] = []
    var cluster = cluster
    while let letter = cluster.popFirst() {
      guard let option = Option.allCases.first(where: { $0.spelling.short == letter }) else {
        throw .usage("option '-\(letter)' is not known")
      }
      var attached: String?
      if case .one = option.spelling.value, !cluster.isEmpty {
        attached = String(cluster)
        cluster = ""
      }
      parsed += try take(option, as: "-\(letter)", attached, &rest)
    }
    return parsed
  }

  private static func take(
    _ option: Option, as name: String, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(CommandFailure) -> [Argument] {
    switch option.spelling.value {
    case .none:
      if attached != nil { throw .usage("option '\(name)' takes no value") }
      return [.option(option, "")]
    case .one(let value):
      guard let value = attached ?? rest.popFirst() else {
        throw .usage("option '\(name)' needs a value: \(value)")
      }
      return [.option(option, value)]
    case .rest:
      if attached != nil { throw .usage("option '\(name)' takes the arguments after it, no value") }
      defer { rest = [] }
      return rest.map { .option(option, $0) }
    }
  }
}

/// Splits `NAME=VALUE`; nil without `=` or with an empty name.
package func splitDefinition(_ text: String) -> (name: String, value: String)? {
  guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
  return (String(text[..<equals]), String(text[text.index(after: equals)...]))
}
