internal import LaunchRules

/// Values for Xcode's build variables, for property lists that were never built.
package struct BuildVariables: Sendable {
  private let definitions: [String: String]

  package static let none = BuildVariables([:])

  package init(_ definitions: [String: String]) { self.definitions = definitions }

  /// Reads arguments such as `PRODUCT_BUNDLE_IDENTIFIER=com.example.app`; of repeated names the last value
  /// counts.
  package init(arguments: [String]) throws(InvalidDefinition) {
    var definitions: [String: String] = [:]
    for argument in arguments {
      guard let equals = argument.firstIndex(of: "="),
        argument[..<equals].utf8.allSatisfy(\.isVariableNameByte), equals != argument.startIndex
      else { throw InvalidDefinition(argument: argument) }
      definitions[String(argument[..<equals])] = String(argument[argument.index(after: equals)...])
    }
    self.init(definitions)
  }

  /// An argument that does not have the form `NAME=VALUE`.
  package struct InvalidDefinition: Error, Hashable, CustomStringConvertible {
    package let argument: String

    package init(argument: String) { self.argument = argument }

    package var description: String {
      "\(argument.quoted) does not define a build variable; write NAME=VALUE, where NAME contains "
        + "letters, digits and \"_\", such as PRODUCT_BUNDLE_IDENTIFIER=com.example.app"
    }
  }

  /// A text whose variables were replaced by their values.
  package struct Expansion: Hashable, Sendable {
    /// References without a value are unchanged.
    package var text: String
    /// The variables without a value, each once, in the order of the text.
    package var unresolved: [String]
    /// Variables whose values refer to each other, each cycle once; the last of each refers to the first.
    package var cycles: [[String]]

    package init(text: String, unresolved: [String] = [], cycles: [[String]] = []) {
      self.text = text
      self.unresolved = unresolved
      self.cycles = cycles
    }
  }

  /// Replaces `$(NAME)` and `${NAME}`, and applies Xcode's operators `:lower`, `:upper`, `:identifier`,
  /// `:c99extidentifier`, `:rfc1034identifier` and `:default=VALUE` from left to right.
  ///
  /// Other operators have no effect. Names and values may refer to other variables; references that form a
  /// cycle or exceed a thousand steps are unchanged and count as unresolved.
  package func expand(_ text: String) -> Expansion {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return Expansion(text: text) }
    var expander = VariableExpander(definitions: definitions)
    return Expansion(
      text: expander.expand(text), unresolved: expander.unresolved, cycles: expander.cycles)
  }
}

extension UInt8 {
  /// Whether the byte is a letter, a digit or `_`.
  var isVariableNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
