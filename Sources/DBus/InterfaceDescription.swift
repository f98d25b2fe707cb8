/// The description of an interface, from which introspection data and the checks of calls are made.
package struct InterfaceDescription: Sendable {
  package struct Argument: Sendable {
    package let name: String
    package let type: Signature
    /// A sentence about the argument.
    package let documentation: String
    /// The keys of an argument with dictionaries.
    package let dictionary: DictionaryDescription?

    package init(
      _ name: String, _ type: Signature, _ documentation: String = "",
      _ dictionary: DictionaryDescription? = nil
    ) {
      self.name = name
      self.type = type
      self.documentation = documentation
      self.dictionary = dictionary
    }
  }

  package struct Method: Sendable {
    package let name: MemberName
    package let inputs: [Argument]
    package let outputs: [Argument]
    /// Sentences, which appear in the introspection data.
    package let documentation: String

    package init(
      _ name: MemberName, _ inputs: [Argument] = [], returns outputs: [Argument] = [],
      _ documentation: String = ""
    ) {
      self.name = name
      self.inputs = inputs
      self.outputs = outputs
      self.documentation = documentation
    }

    package var inputSignature: String { inputs.map(\.type.text).joined() }
  }

  package struct Signal: Sendable {
    package let name: MemberName
    package let arguments: [Argument]
    package let documentation: String
    package init(_ name: MemberName, _ arguments: [Argument], _ documentation: String = "") {
      self.name = name
      self.arguments = arguments
      self.documentation = documentation
    }
  }

  package struct Property: Sendable {
    package let name: MemberName
    package let type: Signature
    package let documentation: String
    package init(_ name: MemberName, _ type: Signature, _ documentation: String = "") {
      self.name = name
      self.type = type
      self.documentation = documentation
    }
  }

  package let name: InterfaceName
  /// A sentence about the interface.
  package let documentation: String
  package let methods: [Method]
  package let signals: [Signal]
  /// Read-only.
  package let properties: [Property]

  package init(
    _ name: InterfaceName, _ documentation: String = "", methods: [Method]...,
    signals: [Signal] = [], properties: [Property] = []
  ) {
    self.name = name
    self.documentation = documentation
    self.methods = methods.flatMap(\.self)
    self.signals = signals
    self.properties = properties
  }

  package func method(_ name: String) -> Method? { methods.first { $0.name.text == name } }
}

/// The description of the keys of an `a{sv}` dictionary.
package struct DictionaryDescription: Sendable {
  package struct Entry: Sendable {
    package let key: String
    package let type: Signature
    /// A sentence about the value.
    package let documentation: String
    /// The keys of a value with dictionaries.
    package let dictionary: DictionaryDescription?

    package init(
      _ key: String, _ type: Signature, _ documentation: String,
      _ dictionary: DictionaryDescription? = nil
    ) {
      self.key = key
      self.type = type
      self.documentation = documentation
      self.dictionary = dictionary
    }
  }

  /// The title under which documents describe the dictionary once, if several arguments have it.
  package let title: String?
  package let entries: [Entry]

  package init(_ title: String, _ entries: [Entry]...) {
    self.title = title
    self.entries = entries.flatMap(\.self)
  }

  package init(_ entries: [Entry]...) {
    title = nil
    self.entries = entries.flatMap(\.self)
  }

  package var keys: Set<String> { Set(entries.map(\.key)) }
}

// MARK: - Introspection XML

extension InterfaceDescription {
  /// The document `Introspect` returns for an object with these interfaces and children.
  package static func document(
    interfaces: [InterfaceDescription], children: [String] = []
  ) -> String {
    var lines = [
      "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"",
      " \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">",
      "<node>",
    ]
    for interface in interfaces { lines += interface.xmlLines }
    for child in children { lines.append("  <node name=\"\(escaped(child))\"/>") }
    lines.append("</node>")
    return lines.joined(separator: "\n") + "\n"
  }

  private var xmlLines: [String] {
    var lines = ["  <interface name=\"\(name)\">"]
    for method in methods {
      lines.append("    <method name=\"\(method.name)\">")
      lines += Self.documentationLines(method.documentation)
      lines += method.inputs.map { Self.argument($0, direction: "in") }
      lines += method.outputs.map { Self.argument($0, direction: "out") }
      lines.append("    </method>")
    }
    for signal in signals {
      lines.append("    <signal name=\"\(signal.name)\">")
      lines += Self.documentationLines(signal.documentation)
      lines += signal.arguments.map { Self.argument($0, direction: nil) }
      lines.append("    </signal>")
    }
    for property in properties {
      lines.append(
        "    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"read\">")
      lines += Self.documentationLines(property.documentation)
      lines.append("    </property>")
    }
    lines.append("  </interface>")
    return lines
  }

  private static func argument(_ argument: Argument, direction: String?) -> String {
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "      <arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>"
  }

  private static func documentationLines(_ text: String) -> [String] {
    guard !text.isEmpty else { return [] }
    return [
      "      <annotation name=\"org.gtk.GDBus.DocString\" value=\"\(escaped(text))\"/>"
    ]
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }
}
