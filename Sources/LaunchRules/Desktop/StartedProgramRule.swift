/// What is known of a URL with which the program of a desktop entry was started.
///
/// A program that runs already is often started a second time only to forward the URL, and ends at once. Neither such a
/// program nor one that goes on running says what it does with the URL.
package enum StartedProgramRule {
  /// The time for which a program is observed that no process ran before. A program that runs then is not expected to
  /// end.
  static let firstMoment: Duration = .milliseconds(500)
  /// The time for which a program is observed that a process ran before: it is expected to forward the URL and to end.
  static let forwardingTime: Duration = .seconds(5)

  /// - Parameter ranBefore: whether a process ran the program before.
  package static func patience(ranBefore: Bool) -> Duration {
    ranBefore ? forwardingTime : firstMoment
  }

  /// - Parameters:
  ///   - hasEnded: whether the program ended with status 0 while it was observed. Otherwise the program runs.
  ///   - ranBefore: whether a process ran the program before.
  package static func handOver(hasEnded: Bool, ranBefore: Bool) -> HandOver {
    HandOver(
      hasEnded ? .handedOver : .unacknowledged, by: .arguments,
      launch: hasEnded && ranBefore ? .warm : .cold)
  }

  /// Whether a process runs the program of a desktop entry.
  /// - Parameters:
  ///   - words: the words of `Exec` up to the first field code.
  ///   - commandLine: the arguments of the process, of which the first may be an interpreter.
  package static func isRun(_ words: [String], by commandLine: [String]) -> Bool {
    guard let program = words.first.map(name), !program.isEmpty else { return false }
    return [0, 1].contains { start in
      let arguments = commandLine.dropFirst(start)
      guard let first = arguments.first, name(first) == program else { return false }
      return arguments.dropFirst().starts(with: words.dropFirst())
    }
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }
}
