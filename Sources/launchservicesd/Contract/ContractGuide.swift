internal import BusContract
internal import DBus

nonisolated extension ContractDocumentation {
  /// The reference of the guide DBusContract.
  static var guide: String {
    var lines = rules.map { "- \($0)" }
    lines.append("")
    for interface in interfaces { lines += section(interface) }
    lines += ["## Dictionaries", "", "Dictionaries of type a{sv} that several calls have.", ""]
    for dictionary in sharedDictionaries {
      lines += ["### \(dictionary.title ?? "")", ""] + list(dictionary, "") + [""]
    }
    lines += [
      "## Errors", "", errorsIntroduction, "", "| error | OSStatus | meaning |", "|---|---|---|",
    ]
    for error in Contract.errors {
      let status = error.status.map(String.init) ?? ""
      lines.append("| `\(error.name)` | \(status) | \(error.documentation) |")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func section(_ interface: InterfaceDescription) -> [String] {
    var lines = ["## \(shortName(interface))", ""]
    lines += ["`\(interface.name)`. \(interface.documentation)", ""]
    for method in interface.methods {
      lines += ["### \(method.name)", "", "`\(synopsis(method, arrow: "→"))`", ""]
      lines += [method.documentation, ""]
      lines += paragraph(arguments(method.inputs + method.outputs))
    }
    for signal in interface.signals {
      lines += [
        "### Signal \(signal.name)", "", "`\(signal.name) (\(list(signal.arguments)))`", "",
      ]
      lines += [signal.documentation, ""]
      lines += paragraph(arguments(signal.arguments))
    }
    for property in interface.properties {
      lines += ["### Property \(property.name)", "", "`\(property.type)`, read-only", ""]
      lines += [property.documentation, ""]
    }
    return lines
  }

  private static func paragraph(_ lines: [String]) -> [String] {
    lines.isEmpty ? [] : lines + [""]
  }

  private static func arguments(_ arguments: [InterfaceDescription.Argument]) -> [String] {
    arguments.flatMap { item($0.name, $0.type, $0.documentation, $0.dictionary, "") }
  }

  private static func list(_ dictionary: DictionaryDescription, _ indent: String) -> [String] {
    dictionary.entries.flatMap { item($0.key, $0.type, $0.documentation, $0.dictionary, indent) }
  }

  private static func item(
    _ name: String, _ type: Signature, _ documentation: String,
    _ dictionary: DictionaryDescription?, _ indent: String
  ) -> [String] {
    let line = "\(indent)- `\(name)` \(type): \(sentence(documentation, dictionary))"
    guard let dictionary, dictionary.title == nil else { return [line] }
    return [line] + list(dictionary, indent + "  ")
  }
}
