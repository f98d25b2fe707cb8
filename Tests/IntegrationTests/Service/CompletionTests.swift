import Foundation
import LaunchServicesTesting
import Testing

/// What the shells offer, asked of the shells themselves.
@MainActor @Suite("Completions", .timeLimit(.minutes(30)))
struct CompletionTests {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    nonisolated static let installed = allCases.filter {
      IntrospectionTests.isInstalled($0.rawValue)
    }
  }

  /// The option names that --help has for a command.
  private func options(_ command: String, in world: Testbed) async throws -> [String] {
    let help = try world.startProcess(try #require(Example.program(command)), ["--help"])
    #expect(try await help.hasEnded() == "exited with code 0")
    return help.lines.drop { $0 != "Options:" }.dropFirst().prefix { !$0.isEmpty }.filter {
      $0.prefix { $0 == " " }.count <= 6
    }.compactMap {
      $0.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
    }
  }

  /// Writes the completions of a command to a file.
  private func script(
    _ command: String, _ shell: Shell, in world: Testbed
  ) async throws -> String {
    let printed = try world.startProcess(
      try #require(Example.program(command)), ["--completions", shell.rawValue])
    #expect(try await printed.hasEnded() == "exited with code 0")
    let path = "\(world.folder)/_\(command)"
    try printed.lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// What is offered for the last of the words, sorted.
  private func offered(
    _ shell: Shell, _ words: [String], in world: Testbed
  ) async throws -> [String] {
    let file = try await script(words[0], shell, in: world)
    let arguments: [String] =
      switch shell {
      case .bash:
        [
          "-c",
          """
          . "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
          compopt() { :; }
          _$1_completions; printf '%s\\n' "${COMPREPLY[@]}"
          """, file,
        ] + words
      case .fish:
        ["-c", "source \(file); complete -C '\(words.joined(separator: " "))'"]
      case .zsh:
        [
          "-f", Fixture.path("offered.zsh"), world.folder, words.joined(separator: " "),
        ]
      }
    let path = "\(Example.products):\(world.environment["PATH"] ?? "/usr/bin:/bin")"
    let process = try world.startProcess(
      shell.rawValue, arguments, environment: ["PATH": path])
    #expect(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
    return process.lines.map { String($0.prefix { $0 != "\t" }) }.filter { !$0.isEmpty }.sorted()
  }

  @Test(
    "Every option of --help is offered, and no other", arguments: Shell.installed,
    ["lsopen", "lsregister", "lstest"])
  func options(_ shell: Shell, _ command: String) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let known = try await options(command, in: world)
      let offered = try await offered(shell, [command, "--"], in: world)
      #expect(offered.filter { $0.hasPrefix("--") } == known.sorted())
    }
  }

  @Test(
    "The verbs of lsregister are offered, then what goes with the verb", arguments: Shell.installed)
  func verbs(_ shell: Shell) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let verbs = try await offered(shell, ["lsregister", ""], in: world)
      #expect(verbs.contains("approvals") && verbs.contains("reload"))
      #expect(
        try await offered(shell, ["lsregister", "de"], in: world) == [
          "default", "desktop", "devices",
        ])
      #expect(
        try await offered(shell, ["lsregister", "--json", "desktop", ""], in: world)
          == ["disable", "enable", "status"])
      #expect(
        try await offered(shell, ["lsregister", "add", "--"], in: world)
          == [
            "--behaviour", "--configuration", "--define", "--help", "--json", "--platform", "--sdk",
            "--stub", "--target", "--team", "--xcconfig", "--xcode",
          ])
    }
  }

  @Test(
    "The verbs of lstest are offered, then the options of the verb", arguments: Shell.installed)
  func verbsOfTests(_ shell: Shell) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let verbs = try await offered(shell, ["lstest", ""], in: world)
      #expect(verbs == ["check", "init", "run", "shell", "shims"])
      #expect(
        try await offered(shell, ["lstest", "init", "--"], in: world)
          == ["--define", "--help", "--output", "--platform", "--sdk", "--team"])
    }
  }

  /// A command line, and what is offered for its last word.
  nonisolated static let lines: [(line: String, offered: [String])] = [
    ("lsopen --as ", ["com.example.notes", "com.example.photos"]),
    ("lsopen -b com.example.p", ["com.example.photos"]),
    ("lsopen -a Pho", ["Photos"]),
    ("lsopen ph", ["photos:"]),
    ("lsopen --explain ", ["notes:", "photos:"]),
    ("lsopen --quick-action ", ["com.example.notes", "com.example.photos"]),
    ("lsopen --quick-action com.example.photos ", []),
    ("lsopen ss", ["ssh"]),
    ("lsregister show com.example.p", ["com.example.photos"]),
    ("lsregister show com.example.photos ", []),
    ("lsregister handlers ", ["letter.txt", "notes", "photos"]),
    ("lsregister default ", ["letter.txt", "notes", "photos"]),
    ("lsregister default photos ", ["com.example.notes", "com.example.photos"]),
    ("lsregister --json default photos com.example.n", ["com.example.notes"]),
    ("lsregister desktop ", ["disable", "enable", "status"]),
    ("lsregister desktop enable ", ["notes", "photos"]),
    ("lsregister desktop enable photos n", ["notes"]),
    ("lsregister desktop status ", []),
    ("lsregister approvals allow ", ["notes", "photos"]),
    ("lsregister approvals allow photos com.example.p", ["com.example.photos"]),
    ("lsregister approvals export ", ["letter.txt"]),
    ("lsregister approvals --opener ", ["com.example.notes", "com.example.photos"]),
    ("lsregister guard on ", ["notice", "restore"]),
    (
      "lsregister links choose com.example.photos example.com ",
      ["application", "browser", "unspecified"]
    ),
    ("lsregister links add example.com ", ["letter.txt"]),
    ("lsregister remote remove ", ["laptop"]),
    ("lsregister remote allow laptop ", ["notes", "photos"]),
    ("lsregister remote add tower --allow ", ["notes", "photos"]),
    ("lsregister list ", []),
    ("lstest run --format ", ["github", "junit", "tap", "text"]),
    ("lstest run ", ["letter.txt"]),
  ]

  @Test(
    "Schemes, names and identifiers are offered where each belongs, as the daemon knows them",
    arguments: Shell.installed)
  func words(_ shell: Shell) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"], .delegate()) {
        $0.otherKeys["CFBundleName"] = "Photos"
      }
      try await world.install("com.example.notes", schemes: ["notes"], .delegate())
      let remote = try world.startProcess("lsregister", ["remote", "add", "laptop"])
      #expect(try await remote.hasEnded() == "exited with code 0")
      let home = try #require(world.environment["HOME"])
      try Data().write(to: URL(filePath: home + "/letter.txt"))
      for (line, expected) in Self.lines {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        #expect(try await offered(shell, words, in: world) == expected, "\(line)")
      }
    }
  }

  @Test(
    "Every script is read without an error", arguments: Shell.installed,
    ["lsopen", "lsregister", "lstest"])
  func syntax(_ shell: Shell, _ command: String) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let check = try world.startProcess(
        shell.rawValue, ["-n", try await script(command, shell, in: world)])
      #expect(try await check.hasEnded() == "exited with code 0", "\(check.lines)")
    }
  }
}
