internal import Glibc
internal import LaunchRules

/// What the caller gave this process.
package enum ProcessArguments {
  /// The arguments after the command's name. Fails for one that is not UTF-8, because reading it
  /// would change it.
  /// - Parameter namingOddFiles: One that is not UTF-8 is the path of a file, and given as its `file:` URL.
  package static func all(namingOddFiles: Bool = false) throws(CommandFailure) -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = unsafe CommandLine.unsafeArgv[index] else { break }
      guard let argument = unsafe String(validatingCString: bytes) else {
        if namingOddFiles {
          let path = unsafe (0..<strlen(bytes)).map { unsafe UInt8(bitPattern: bytes[Int($0)]) }
          arguments.append(DocumentURL.text(of: FilePath.absolute(path)))
          continue
        }
        throw .usage(
          "argument \(index) is not UTF-8: \(unsafe String(cString: bytes)); give such a file as "
            + "a percent-encoded file:// URL")
      }
      arguments.append(argument)
    }
    return arguments
  }

  /// Nil when the variable is missing or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  package static func end(_ code: ExitCode) -> Never { exit(code.rawValue) }
}
