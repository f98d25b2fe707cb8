/// A command line of ssh: options, destination and command. The options are those of OpenSSH 9; they may also follow
/// the destination.
package struct SSHInvocation: Hashable, Sendable {
  /// The options with their values, unchanged.
  package private(set) var options: [String] = []
  /// `HOST`, `USER@HOST` or `ssh://USER@HOST:PORT`, unchanged.
  package private(set) var destination = ""
  /// The words of the command. Empty for the login shell.
  package private(set) var command: [String] = []

  /// Why a command line cannot be used, as a sentence without its full stop.
  package struct Problem: Error, Hashable, Sendable {
    package let sentence: String
  }

  /// The letters of the options that take a value.
  private static let withValue = Set("BbcDEeFIiJLlmopRw")
  /// The letters of the options without a value.
  private static let withoutValue = Set("46AaCgKknqTtvXxYy")
  /// The letters of options that select another kind of connection than a session of this command.
  private static let unusable = Set("fGMNOQSsVW")

  package init(_ words: [String]) throws(Problem) {
    var rest = words[...]
    while let word = rest.first {
      if word == "--", destination.isEmpty {
        rest = rest.dropFirst()
        guard let next = rest.popFirst() else { break }
        try setDestination(next)
        break
      }
      if word.hasPrefix("-"), word.count > 1 {
        rest = rest.dropFirst()
        try addOption(word, &rest)
      } else if destination.isEmpty {
        rest = rest.dropFirst()
        try setDestination(word)
      } else {
        break
      }
    }
    guard !destination.isEmpty else { throw Problem(sentence: "there is no host to connect to") }
    command = Array(rest)
  }

  private mutating func setDestination(_ word: String) throws(Problem) {
    guard !word.isEmpty, !word.hasPrefix("-") else {
      throw Problem(sentence: "'\(word)' is no host")
    }
    destination = word
  }

  /// Adds a word such as `-4`, `-vT`, `-p2222` or `-p`, with its value.
  private mutating func addOption(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(Problem) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      if Self.unusable.contains(letter) {
        throw Problem(
          sentence: "the option -\(letter) of ssh cannot be used here, because the connection"
            + " carries a session; use ssh itself")
      }
      if Self.withValue.contains(letter) {
        guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
          throw Problem(sentence: "the option -\(letter) of ssh needs a value")
        }
        if letter == "o", Self.setsCommand(value) {
          throw Problem(
            sentence: "the option RemoteCommand of ssh cannot be used here, because the connection"
              + " carries a session; write the command after the host")
        }
        options += ["-\(letter)", value]
        return
      }
      guard Self.withoutValue.contains(letter) else {
        throw Problem(sentence: "ssh has no option -\(letter)")
      }
      options.append("-\(letter)")
    }
  }

  /// Whether the option names a command. The value `none` removes a command of `ssh_config`, as this session does.
  /// - Parameter option: a line of `ssh_config`, in which `=` may stand in place of the first space.
  private static func setsCommand(_ option: String) -> Bool {
    let words = option.split(maxSplits: 1) { " \t=".contains($0) }
    guard let name = words.first, name.lowercased() == "remotecommand" else { return false }
    return words.last?.drop { " \t=".contains($0) }.lowercased() != "none"
  }

  /// The port of the command line; nil when there is none.
  package var port: String? {
    let scheme = "ssh://"
    if destination.hasPrefix(scheme) {
      let place = destination.dropFirst(scheme.count).prefix { $0 != "/" }
      if let colon = place.lastIndex(of: ":"), !place[colon...].contains("]") {
        return String(place[place.index(after: colon)...])
      }
    }
    guard let option = options.firstIndex(of: "-p"), option + 1 < options.count else { return nil }
    return options[option + 1]
  }

  /// The options and the destination as words of a shell.
  package var words: String {
    (options + [destination]).map { word in
      let isPlain =
        !word.isEmpty
        && word.utf8.allSatisfy {
          $0.isASCIILetter || $0.isASCIIDigit || "-._/:@%+,=[]".utf8.contains($0)
        }
      return isPlain
        ? word
        : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }.joined(separator: " ")
  }

  /// The host of the destination as the user typed it, without user name and port.
  package var host: String {
    let scheme = "ssh://"
    let isURL = destination.hasPrefix(scheme)
    var text = Substring(destination)
    if isURL { text = text.dropFirst(scheme.count) }
    if let at = text.lastIndex(of: "@") { text = text[text.index(after: at)...] }
    guard isURL else { return String(text) }
    if let slash = text.firstIndex(of: "/") { text = text[..<slash] }
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return String(text[text.index(after: text.startIndex)..<end])
    }
    return String(text.prefix { $0 != ":" })
  }
}
