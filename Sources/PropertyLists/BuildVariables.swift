internal import LaunchRules

/// The values of Xcode's build variables, for property lists that were never built.
package struct BuildVariables: Sendable {
  private let definitions: [String: String]

  package static let none = BuildVariables([:])

  package init(_ definitions: [String: String]) { self.definitions = definitions }

  /// From arguments such as `PRODUCT_BUNDLE_IDENTIFIER=com.example.app`; the last one of a name wins.
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
      "\(argument.quoted) does not define a build variable; write NAME=VALUE, where NAME holds "
        + "letters, digits and \"_\", such as PRODUCT_BUNDLE_IDENTIFIER=com.example.app"
    }
  }

  /// A text whose variables were replaced by their values.
  package struct Expansion: Hashable, Sendable {
    /// References without a value stand here as they were written.
    package var text: String
    /// The variables that have no value, each once, in the order met.
    package var unresolved: [String]
    /// Variables whose values refer to each other, each cycle once; the first of each ends it as well.
    package var cycles: [[String]]

    package init(text: String, unresolved: [String] = [], cycles: [[String]] = []) {
      self.text = text
      self.unresolved = unresolved
      self.cycles = cycles
    }
  }

  /// Replaces `$(NAME)` and `${NAME}`, with Xcode's operators `:lower`, `:upper`, `:identifier`,
  /// `:c99extidentifier`, `:rfc1034identifier` and `:default=VALUE`, in the order written.
  ///
  /// Other operators change nothing. Names and values may refer to further variables; references that run in
  /// a cycle, or that go on for more than a thousand steps, are left as they are and count as
  /// unresolved.
  package func expand(_ text: String) -> Expansion {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return Expansion(text: text) }
    var expander = VariableExpander(definitions: definitions)
    return Expansion(
      text: expander.expand(text), unresolved: expander.unresolved, cycles: expander.cycles)
  }
}

extension UInt8 {
  /// Letters, digits and `_`.
  var isVariableNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
