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
  /// - Parameters:
  ///   - identifier: the desktop file ID.
  ///   - file: the path of the desktop entry; nil when it is unknown.
  package static func refusal(of identifier: String, in file: String?) -> String {
    "\(identifier) cannot be given a URL: its Exec has no %u or %U that would get each URL unchanged"
      + advice(identifier, file)
  }

  /// The reason why an application cannot be given a file.
  /// - Parameters:
  ///   - identifier: the desktop file ID.
  ///   - file: the path of the desktop entry; nil when it is unknown.
  package static func refusalOfFiles(of identifier: String, in file: String?) -> String {
    "\(identifier) cannot be given a file: its Exec would change or lose the path"
      + advice(identifier, file)
  }

  private static func advice(_ identifier: String, _ file: String?) -> String {
    file.map {
      "; correct Exec in \($0); if a package has installed this file, correct a copy of it: ~/.local/share/applications/\(identifier)"
    } ?? ""
  }

  /// Whether GIO passes a URL to the program unchanged. `g_app_info_supports_uris` does not report this.
  ///
  /// GIO inserts the URL at the first field code for files or URLs; a field code for files drops it.
  /// Between double quotes the URL is inserted in single quotes, which only a shell removes, as in `sh -c
  /// "app %u"`. Between single quotes, and between quotes of the shell within double quotes, as in `sh -c "app \"%u\""`, a shell
  /// would interpret the URL as commands. What follows the beginning of a
  /// comment is dropped after the URL was inserted.
  /// - Parameter value: the value without the general escapes.
  package static func takesURL(_ value: String) -> Bool { passesWhole(value, "uU") ?? false }

  /// Whether GIO passes a file to the program unchanged, as a path or as a URL. GIO appends the path to a value without
  /// a field code for files or URLs.
  /// - Parameter value: the value without the general escapes.
  package static func takesFile(_ value: String) -> Bool {
    passesWhole(value, "uUfF") ?? !value.isEmpty
  }

  /// - Parameter codes: the field codes that pass what is opened.
  /// - Returns: nil when the value has no field code for files or URLs.
  private static func passesWhole(_ value: String, _ codes: String) -> Bool? {
    var quote: Unicode.Scalar?
    var isCommand = false
    // Whether the shell that reads the double-quoted argument may be between quotes of its own.
    var hasInnerQuotes = false
    // Field codes that may become nothing do not change it.
    var isAtWord = true
    var rest = value.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar != "%" {
        if scalar == "#", quote == nil, isAtWord { return false }
        isAtWord = scalar == " " || scalar == "\n"
      }
      switch scalar {
      case quote: quote = nil
      case "\"" where quote == nil, "'" where quote == nil:
        (quote, isCommand, hasInnerQuotes) = (scalar, false, false)
      case "\\":
        guard let next = rest.popFirst(), next != "%" else { return false }
        isAtWord = next == " " || next == "\n"
        hasInnerQuotes = true
      case "'", "`": hasInnerQuotes = true
      case " ": isCommand = quote == "\""
      case "%":
        guard let code = rest.popFirst() else { return false }
        if codes.unicodeScalars.contains(code) {
          return quote == nil || isCommand && !hasInnerQuotes
        }
        if "fFuUdDnN".unicodeScalars.contains(code) { return false }
      default: break
      }
    }
    return nil
  }
}
