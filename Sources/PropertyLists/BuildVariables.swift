internal import LaunchRules

/// Values for Xcode's build variables, for property lists that were never built.
package struct BuildVariables: Sendable {
  private let definitions: [String: String]

  package static let none = BuildVariables([:])

  /// Xcode derives the prefixes of identifiers and `CFBundleIdentifier` from other variables; so does this, unless they
  /// are defined.
  package init(_ definitions: [String: String]) {
    var definitions = definitions
    for (name, source, value) in BuildVariableName.derived where definitions[source] != nil {
      if definitions[name] == nil { definitions[name] = value }
    }
    self.definitions = definitions
  }

  /// The expanded value of a variable; nil when it is not defined, is empty, or contains a variable without a value.
  package func value(_ name: String) -> String? {
    guard let definition = definitions[name] else { return nil }
    let expansion = expand(definition)
    return expansion.unresolved.isEmpty && !expansion.text.isEmpty ? expansion.text : nil
  }

  func isDefined(_ name: String) -> Bool { definitions[name] != nil }

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
    /// Variables in the text whose values have too many references, or references nested too deep.
    package var excessive: [String]

    package init(
      text: String, unresolved: [String] = [], cycles: [[String]] = [], excessive: [String] = []
    ) {
      self.text = text
      self.unresolved = unresolved
      self.cycles = cycles
      self.excessive = excessive
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
      text: expander.expand(text), unresolved: expander.unresolved, cycles: expander.cycles,
      excessive: expander.excessive)
  }
}

extension BuildVariables {
  /// The names of all variables that the text refers to, directly and through the values of variables.
  package func names(in text: String) -> Set<String> {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return [] }
    var expander = VariableExpander(definitions: definitions)
    _ = expander.expand(text)
    return expander.names
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
