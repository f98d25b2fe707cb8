// `stdout` is a C variable, which the importer takes for mutable shared state.
@unsafe @preconcurrency internal import Glibc

/// Output to the standard streams of the process.
enum StandardStreams {
  /// Flushes standard output after each line, also into a pipe or the journal.
  static func writeLinesAtOnce() {
    unsafe setvbuf(stdout, nil, _IOLBF, 0)
  }

  /// Prints one line, with the program's name in front, to standard error.
  static func complain(_ sentence: String) {
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? "application"
    var line = "\(program): \(sentence)\n"
    line.withUTF8 { bytes in
      _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
