/// The value of `Exec` in a desktop entry, before the general escapes of values.
package enum ExecValue {
  /// - Parameters:
  ///   - program: an absolute path, or a name that is looked up in `PATH`.
  ///   - arguments: the arguments before the field code.
  ///   - fieldCode: a field code such as `%u`.
  package static func command(
    _ program: String, _ arguments: [String] = [], fieldCode: String
  ) -> String {
    (([program] + arguments).map(quote) + [fieldCode]).joined(separator: " ")
  }

  /// Quotes an argument according to "The Exec key" of the Desktop Entry Specification: an argument with
  /// reserved characters is put in double quotes, and percent signs are doubled.
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

  /// The reason why an application cannot be given a URL.
  /// - Parameter identifier: the desktop file ID.
  package static func refusal(of identifier: String) -> String {
    "\(identifier) cannot be given a URL: its Exec has no %u or %U that would get each URL unchanged"
  }

  /// Whether GIO passes a URL to the program unchanged. `g_app_info_supports_uris` does not report this.
  ///
  /// GIO inserts the URL at the first field code for files or URLs; a field code for files drops it.
  /// Between double quotes the URL is inserted in single quotes, which only a shell removes, as in `sh -c
  /// "app %u"`. Between single quotes a shell would interpret the URL as commands.
  /// - Parameter value: the value without the general escapes.
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
