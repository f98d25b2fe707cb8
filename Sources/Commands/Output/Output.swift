internal import Glibc

/// The output of a command: results to standard output, reasons to standard error.
///
/// Each entry is one line. Control characters are escaped.
package struct Output {
  package enum Stream: Int32, Sendable {
    case standard = 1
    case error = 2
  }

  package let command: String
  private let write: (Stream, String) -> Void

  /// `command` is the prefix of each reason; `write` receives whole lines.
  package init(command: String, write: @escaping (Stream, String) -> Void) {
    self.command = command
    self.write = write
  }

  package func print(_ lines: [String]) {
    // Not with `joined`, whose generic code takes a command longer to set up than the rest of its output takes.
    var text = ""
    for line in lines { text += line.visible + "\n" }
    if !text.isEmpty { write(.standard, text) }
  }
  package func print(_ line: String) { print([line]) }
  /// Prints one line, with a tab between the columns.
  package func print(columns: [String]) { print(rows: [columns]) }
  /// Prints lines with a tab between the columns, at once, for a reader that stops at the line that it looks for.
  package func print(rows: [[String]]) {
    write(
      .standard, rows.map { $0.map(\.visible).joined(separator: "\t") + "\n" }.joined())
  }

  /// Prints lines without the name of the command as prefix.
  package func printError(_ lines: [String]) {
    write(.error, lines.map { $0.visible + "\n" }.joined())
  }

  package func complain(_ reason: String) { write(.error, "\(command): \(reason.visible)\n") }

  package func complain(_ failure: CommandFailure) {
    // A reason may name the help text of a verb.
    let needsHint = failure.code == .usage && !failure.reason.contains("--help")
    let hint = needsHint ? "; try '\(command) --help'" : ""
    complain(failure.reason + hint)
  }
}

extension Output {
  /// The streams of this process. If writing to standard output fails, as on a full disk, the process ends
  /// with an error message.
  package static func ofProcess(command: String) -> Output {
    Output(command: command) { stream, text in
      guard writeAll(text, to: stream.rawValue) || stream == .error else {
        let reason = unsafe String(cString: strerror(errno))
        _ = writeAll("\(command): cannot write the output: \(reason)\n", to: Stream.error.rawValue)
        exit(ExitCode.failed.rawValue)
      }
    }
  }

  private static func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
