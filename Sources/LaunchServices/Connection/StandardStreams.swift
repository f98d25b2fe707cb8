// `stdout` is a C variable that the importer believes anybody may change.
@unsafe @preconcurrency internal import Glibc

/// What the process writes for people.
enum StandardStreams {
  /// Lines that the application prints appear at once, also in a pipe or the journal.
  static func writeLinesAtOnce() {
    unsafe setvbuf(stdout, nil, _IOLBF, 0)
  }

  /// One line on standard error, after the program's name.
  static func complain(_ sentence: String) {
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? "application"
    var line = "\(program): \(sentence)\n"
    line.withUTF8 { bytes in
      _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
