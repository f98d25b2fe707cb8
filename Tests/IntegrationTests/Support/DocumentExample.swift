import Foundation

/// A block of code in a guide, or among the examples of a manual page.
struct DocumentExample {
  /// Why no test runs an example.
  enum Reason: String {
    /// It builds or installs the project, which takes minutes, or uses an installation.
    case builds
    /// It needs the service manager of the user.
    case systemd
    /// It runs the tests.
    case tests
    /// It asks sites of the network.
    case network
    /// It connects to another machine by ssh.
    case ssh
    /// It changes the machine for all users.
    case machine
    /// It configures a browser of the machine.
    case browser
    /// It needs a phone that is paired.
    case device
  }

  /// What is said of the block: `example: ` and one of these.
  enum Marker: Equatable {
    /// `not run: REASON`
    case notRun(Reason)
    /// `file NAME`: the block is a file that the commands of the document use.
    case file(String)
    /// `part of PATH`: the lines are in a file of this repository, which the tests build.
    case partOf(String)

    init(_ text: String) throws {
      if let reason = text.wholeMatch(of: /not run: (.+)/).flatMap({
        Reason(rawValue: String($0.1))
      }) {
        self = .notRun(reason)
      } else if let match = text.wholeMatch(of: /file (.+)/) {
        self = .file(String(match.1))
      } else if let match = text.wholeMatch(of: /part of (.+)/) {
        self = .partOf(String(match.1))
      } else {
        throw Unknown(text: text)
      }
    }
  }

  struct Unknown: Error, CustomStringConvertible {
    let text: String
    var description: String { "'\(text)' is no marker of an example" }
  }

  /// Such as `sh` or `xml`.
  let language: String
  let text: String
  let marker: Marker?

  /// It is a file, a property list or commands.
  var isUsed: Bool {
    switch marker {
    case .notRun, .partOf: false
    case .file, nil: true
    }
  }

  // MARK: Guides

  /// The fenced blocks of a guide. The marker is in a comment before the block, or behind the language.
  static func inGuide(_ text: String) throws -> [Self] {
    var examples: [Self] = []
    var block: (language: String, lines: [String], marker: Marker?)?
    var before = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```"), let ended = block {
        examples.append(
          Self(
            language: ended.language, text: ended.lines.joined(separator: "\n") + "\n",
            marker: ended.marker))
        block = nil
      } else if line.hasPrefix("```") {
        let words = line.dropFirst(3).split(separator: " example: ", maxSplits: 1).map(String.init)
        let comment = before.wholeMatch(of: /<!-- example: (.+) -->/).map { String($0.1) }
        let marker = words.count > 1 ? words[1] : comment
        block = (words.first ?? "", [], try marker.map(Marker.init))
      } else {
        block?.lines.append(line)
      }
      before = line
    }
    return examples
  }

  // MARK: Manual pages

  /// The blocks without filling of a manual page.
  static func inManualPage(_ text: String) throws -> [Self] {
    var examples: [Self] = []
    var block: (lines: [String], marker: Marker?)?
    var before = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      switch line {
      case ".nf":
        let marker = before.wholeMatch(of: /\.\\" example: (.+)/).map { String($0.1) }
        block = ([], try marker.map(Marker.init))
      case ".fi":
        if let block {
          let text = block.lines.joined(separator: "\n") + "\n"
          var language = text.hasPrefix("<?xml") ? "xml" : "sh"
          if case .file = block.marker, language == "sh" { language = "file" }
          examples.append(Self(language: language, text: text, marker: block.marker))
        }
        block = nil
      case ".RS", ".RE": break
      default: block?.lines.append(plain(line))
      }
      before = line
    }
    return examples
  }

  private static func plain(_ line: String) -> String {
    line.replacing("\\-", with: "-").replacing("\\(aq", with: "'").replacing("\\(dq", with: "\"")
      .replacing("\\&", with: "").replacing("\\e", with: "\\")
  }
}

// MARK: - Commands

extension DocumentExample {
  /// A command of a block for a shell.
  struct Command {
    var text: String
    /// What its comment says about its exit status; 0 without a comment.
    let status: Int
    /// The comment says that it runs until it is interrupted.
    let isInterrupted: Bool
    /// The comment lines after it: text that it prints.
    var output = ""
  }

  var commands: [Command] {
    var commands: [Command] = []
    let lines = text.replacing("\\\n", with: "").split(separator: "\n").map(String.init)
    for line in lines {
      if line.hasPrefix("#") {
        let words = line.drop { $0 == "#" || $0 == " " }
        guard let last = commands.indices.last else { continue }
        commands[last].output += (commands[last].output.isEmpty ? "" : " ") + words
      } else {
        let status = line.firstMatch(of: /#.*exit status (\d+)/).flatMap { Int($0.1) }
        commands.append(
          Command(
            text: line, status: status ?? 0,
            isInterrupted: line.contains(/#.*until interrupted/)))
      }
    }
    return commands
  }
}
