/// The value of `Exec` in a desktop entry, before the escapes that every value gets.
package enum ExecValue {
  /// - Parameters:
  ///   - program: an absolute path, or a name that is looked up in `PATH`.
  ///   - arguments: what goes before the field code.
  ///   - fieldCode: such as `%u`.
  package static func command(
    _ program: String, _ arguments: [String] = [], fieldCode: String
  ) -> String {
    (([program] + arguments).map(quote) + [fieldCode]).joined(separator: " ")
  }

  /// As the Desktop Entry Specification says under "The Exec key": an argument with a reserved
  /// character stands in double quotes, and a percent sign is doubled.
  private static func quote(_ argument: String) -> String {
    var quoted = ""
    for character in argument.unicodeScalars {
      if "\"`$\\".unicodeScalars.contains(character) { quoted += "\\" }
      quoted.unicodeScalars.append(character)
      if character == "%" { quoted += "%" }
    }
    let isPlain = argument.unicodeScalars.allSatisfy { !reserved.contains($0) }
    return isPlain ? quoted : "\"\(quoted)\""
  }

  private static let reserved = Set(" \t\n\"'\\><~|&;$*?#()`".unicodeScalars)

  /// Whether GIO gives a URL to the program byte for byte, which `g_app_info_supports_uris` does not
  /// tell.
  ///
  /// GIO gives it to the first field code for files or URLs, and one for files swallows it. Between
  /// double quotes it comes in single ones, which only a shell takes away, as of `sh -c "app %u"`;
  /// between single quotes a shell would read the URL as commands.
  /// - Parameter value: without the escapes that every value has.
  package static func takesURL(_ value: String) -> Bool {
    var quote: Unicode.Scalar?
    var isCommand = false
    var rest = value.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case quote: quote = nil
      case "\"" where quote == nil, "'" where quote == nil: (quote, isCommand) = (scalar, false)
      case "\\": if rest.popFirst() == "%" { return false }
      case " ": isCommand = quote == "\""
      case "%":
        guard let code = rest.popFirst() else { return false }
        if "fFdDnN".unicodeScalars.contains(code) { return false }
        if code == "u" || code == "U" { return quote == nil || isCommand }
      default: break
      }
    }
    return false
  }
}
