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
  ///   - owner: the only such process; nil when several did.
  package static func handOver(
    hasEnded: Bool, ranBefore: Bool, owner: HandOver.Owner? = nil
  ) -> HandOver {
    let isForwarded = hasEnded && ranBefore
    return HandOver(
      hasEnded ? .handedOver : .unacknowledged, by: .arguments,
      launch: isForwarded ? .warm : .cold, owner: isForwarded ? owner : nil)
  }

  /// Whether the process that owns a bus name of an application may be a process of its program, which also a user may
  /// have started with other options.
  package static func mayBeRun(_ words: [String], by commandLine: [String]) -> Bool {
    let words = withoutVariables(words)
    return isRun(
      words.prefix(1) + words.dropFirst().prefix { !$0.hasPrefix("-") }, by: commandLine)
  }

  /// Whether a process runs the program of a desktop entry.
  /// - Parameters:
  ///   - words: the words of `Exec` up to the first field code.
  ///   - commandLine: the arguments of the process, of which the first may be an interpreter.
  package static func isRun(_ words: [String], by commandLine: [String]) -> Bool {
    let words = withoutVariables(words)
    guard let program = words.first.map(name), !program.isEmpty else { return false }
    return [0, 1].contains { start in
      let arguments = commandLine.dropFirst(start)
      guard let first = arguments.first, name(first) == program else { return false }
      return arguments.dropFirst().starts(with: words.dropFirst())
    }
  }

  /// The words after `env` and its assignments, because env(1) runs the program in its own process.
  package static func withoutVariables(_ words: [String]) -> [String] {
    guard let first = words.first, name(first) == "env" else { return words }
    return Array(words.dropFirst().drop { $0.contains("=") })
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }
}
