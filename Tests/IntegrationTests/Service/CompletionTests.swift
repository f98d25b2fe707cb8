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
        // The functions below are zsh's own ones for completion; they print what they are told.
        [
          "-fc",
          """
          compadd() { : }
          _describe() { print -rl -- ${${(P)2}%%:*} }
          _arguments() {
            local row
            for row in "$@"; do
              case $row in
                (\\(*) row=${row#*\\)} ;;
                (\\**) row=${row#\\*} ;;
                (--*) ;;
                (*) continue ;;
              esac
              print -r -- ${row%%[=+\\[:]*}
            done
            state=verb
          }
          . "$0"
          """, file,
        ] + words
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
      guard shell != .zsh else { return }
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
    "The verbs of lstest are offered, then the options of the verb",
    arguments: Shell.installed.filter { $0 != .zsh })
  func verbsOfTests(_ shell: Shell) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let verbs = try await offered(shell, ["lstest", ""], in: world)
      #expect(verbs == ["check", "init", "run", "shell", "shims"])
      #expect(
        try await offered(shell, ["lstest", "init", "--"], in: world)
          == ["--define", "--help", "--output"])
    }
  }

  @Test("Identifiers are asked of the daemon", arguments: Shell.installed.filter { $0 != .zsh })
  func identifiers(_ shell: Shell) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"], .delegate())
      try await world.install("com.example.notes", schemes: ["notes"], .delegate())
      let all = try await offered(shell, ["lsopen", "--as", ""], in: world)
      #expect(all == ["com.example.notes", "com.example.photos"])
      let one = try await offered(shell, ["lsregister", "show", "com.example.p"], in: world)
      #expect(one == ["com.example.photos"])
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
