internal import Glibc

/// The arguments and environment variables of this process.
package enum ProcessArguments {
  /// The arguments after the command's name. An argument that is not UTF-8 causes an error, or is escaped.
  package static func all(escaping: Bool = false) throws(CommandFailure) -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = unsafe CommandLine.unsafeArgv[index] else { break }
      if escaping {
        let buffer = unsafe UnsafeBufferPointer(start: bytes, count: strlen(bytes))
        arguments.append(unsafe EscapedBytes.text(buffer.map { UInt8(bitPattern: $0) }))
        continue
      }
      guard let argument = unsafe String(validatingCString: bytes) else {
        throw .usage(
          "argument \(index) is not UTF-8: \(unsafe String(cString: bytes)); give the file "
            + "a name that is")
      }
      arguments.append(argument)
    }
    return arguments
  }

  /// The first element of the argument vector: the name or path by which this program was started, as its caller
  /// says.
  package static var programName: String? {
    unsafe CommandLine.unsafeArgv[0].map { unsafe String(cString: $0) }
  }

  /// Nil when the variable is missing or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  package static func end(_ code: ExitCode) -> Never { exit(code.rawValue) }

  /// Ends the process with a status that is not an `ExitCode`.
  package static func end(status: Int32) -> Never { exit(status) }
}
