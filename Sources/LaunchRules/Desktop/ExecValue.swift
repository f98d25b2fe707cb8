/// The value of `Exec` in a desktop entry, before the escapes that every value gets.
package enum ExecValue {
  /// - Parameters:
  ///   - program: an absolute path, or a name that is looked up in `PATH`.
  ///   - fieldCode: such as `%u`.
  package static func command(_ program: String, fieldCode: String) -> String {
    quote(program) + " " + fieldCode
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
}
