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
        while let operand = rest.popFirst() { parsed.append(.operand(operand)) }
      } else if argument.hasPrefix("--") {
        try long(argument.dropFirst(2), &rest, &parsed)
      } else if argument.hasPrefix("-"), argument != "-" {
        try short(argument.dropFirst(), &rest, &parsed)
      } else {
        parsed.append(.operand(argument))
      }
    }
    return parsed
  }

  private static func long(
    _ argument: Substring, _ rest: inout ArraySlice<String>, _ parsed: inout [Argument]
  ) throws(CommandFailure) {
    let equals = argument.firstIndex(of: "=")
    let name = argument[..<(equals ?? argument.endIndex)]
    guard let option = option(where: { $0.long == name }) else {
      throw .usage("option '--\(name)' is not known")
    }
    let attached = equals.map { String(argument[argument.index(after: $0)...]) }
    try take(option, as: option.name, attached, &rest, &parsed)
  }

  /// A loop, because a generic `first(where:)` takes longer to set up than the rest of the command line takes.
  private static func option(where isWanted: (OptionSpelling) -> Bool) -> Option? {
    let all = Option.allCases
    for index in all.indices where isWanted(all[index].spelling) { return all[index] }
    return nil
  }

  private static func short(
    _ cluster: Substring, _ rest: inout ArraySlice<String>, _ parsed: inout [Argument]
  ) throws(CommandFailure) {
    var cluster = cluster
    while let letter = cluster.popFirst() {
      guard let option = option(where: { $0.short == letter }) else {
        throw .usage("option '-\(letter)' is not known")
      }
      var attached: String?
      if case .one = option.spelling.value, !cluster.isEmpty {
        attached = String(cluster)
        cluster = ""
      }
      try take(option, as: "-\(letter)", attached, &rest, &parsed)
    }
  }

  private static func take(
    _ option: Option, as name: String, _ attached: String?, _ rest: inout ArraySlice<String>,
    _ parsed: inout [Argument]
  ) throws(CommandFailure) {
    switch option.spelling.value {
    case .none:
      if attached != nil { throw .usage("option '\(name)' takes no value") }
      parsed.append(.option(option, ""))
    case .one(let value):
      guard let value = attached ?? rest.popFirst() else {
        throw .usage("option '\(name)' needs a value: \(value)")
      }
      parsed.append(.option(option, value))
    case .rest:
      if attached != nil { throw .usage("option '\(name)' takes the arguments after it, no value") }
      while let value = rest.popFirst() { parsed.append(.option(option, value)) }
    }
  }
}

/// Splits `NAME=VALUE`; nil without `=` or with an empty name.
package func splitDefinition(_ text: String) -> (name: String, value: String)? {
  guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
  return (String(text[..<equals]), String(text[text.index(after: equals)...]))
}
