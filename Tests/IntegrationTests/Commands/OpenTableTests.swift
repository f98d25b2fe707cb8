import Foundation
import LaunchServicesTesting
import Testing

/// Every option of macOS's open(1) (R7.2), its meaning there, and what `lsopen` does with it.
@MainActor @Suite("open(1), option by option", .timeLimit(.minutes(30)))
struct OpenTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    /// As macOS spells it.
    var option: String
    var macOS: String
    var ours: String
    var arguments: [String]
    /// Photos is the text editor.
    var isEditor = false
    /// Photos runs already.
    var isRunning = false
    var script = HandlerScript.launching(.report, .checkIn(), .finishLaunching())
    var status = 0
    var output = ""
    var error = ""
    /// What Photos saw, in words.
    var seen: [String] = []

    var testDescription: String { "\(option): lsopen \(arguments.joined(separator: " "))" }
  }

  private nonisolated static let cold = ["start", "launched for photos:1", "open photos:1"]
  private nonisolated static let itself = ["start", "launched"]

  /// `HOME` stands for the folder it is run in, `APP` for the bundle of Photos.
  nonisolated static let rows: [Row] = [
    Row(
      option: "URL", macOS: "opens it with its default application", ours: "the same",
      arguments: ["photos:1"], seen: cold),
    Row(
      option: "URL", macOS: "exit 1 when nobody handles it", ours: "status 4",
      arguments: ["nobody:1"], status: 4,
      error: "lsopen: no application is registered for the scheme nobody (OSStatus error -10814)\n"),
    Row(
      option: "several", macOS: "each in turn",
      ours: "each in turn; status of the first that failed",
      arguments: ["photos:1", "missing", "photos:2"], status: 2,
      error: "lsopen: missing: The file HOME/missing does not exist."
        + " To open a URL, write a colon after its scheme: missing:\n",
      seen: cold + ["open photos:2"]),
    Row(
      option: "FILE", macOS: "The file … does not exist., exit 1", ours: "the same text, status 2",
      arguments: ["a b\nc"], status: 2,
      error: "lsopen: The file HOME/a b\\nc does not exist.\n"),
    Row(
      option: "FILE", macOS: "the form of a URL wins over a file of that name",
      ours: "the same, and says so", arguments: ["photos:1"].map { _ in "photos:file" },
      error: "lsopen: there is a file of this name, too; write ./photos:file to open it\n",
      seen: ["start", "launched for photos:file", "open photos:file"]),
    Row(
      option: "FILE", macOS: "the bundle of an application is launched", ours: "the same",
      arguments: ["APP"], seen: itself),
    Row(
      option: "FILE", macOS: "what is named so and is none: The application … cannot be opened",
      ours: "what is missing in it, status 4", arguments: ["Fake.app"], status: 4,
      error: "lsopen: HOME/Fake.app: neither Info.plist nor Contents/Info.plist is in this folder;"
        + " name a bundle NAME.app or a property list\n"),
    Row(
      option: "-a", macOS: "with this application, by name", ours: "the same",
      arguments: ["-a", "photos", "other:1"],
      seen: ["start", "launched for other:1", "open other:1"]),
    Row(
      option: "-a", macOS: "with this application, by path", ours: "the same",
      arguments: ["-a", "APP", "photos:1"], seen: cold),
    Row(
      option: "-a", macOS: "alone: launches it", ours: "the same", arguments: ["-a", "Photos.app"],
      seen: itself),
    Row(
      option: "-a", macOS: "alone: activates one that runs", ours: "the same",
      arguments: ["-a", "Photos"], isRunning: true, seen: ["reopen"]),
    Row(
      option: "-a", macOS: "Unable to find application named '…', exit 1", ours: "status 4",
      arguments: ["-a", "Nobody", "photos:1"], status: 4,
      error:
        "lsopen: no registered application is called 'Nobody'; 'lsregister list' shows them, and "
        + "the path of a bundle serves as well\n"),
    Row(
      option: "-b", macOS: "with the application of this identifier", ours: "the same",
      arguments: ["-b", "COM.example.photos", "photos:1"], seen: cold),
    Row(
      option: "-b", macOS: "alone: launches it", ours: "the same",
      arguments: ["-b", "com.example.photos"], seen: itself),
    Row(
      option: "-b", macOS: "exit 1 when there is none", ours: "status 4",
      arguments: ["-b", "com.example.none"], status: 4,
      error: "lsopen: no application com.example.none is registered (OSStatus error -10814)"
        + "; 'lsregister list' shows the identifiers of applications\n"),
    Row(
      option: "-a -b", macOS: "not both", ours: "status 64",
      arguments: ["-a", "Photos", "-b", "com.example.photos"], status: 64,
      error: "lsopen: options '--app' and '--application' exclude each other; try 'lsopen --help'\n"
    ),
    Row(
      option: "-e", macOS: "with TextEdit", ours: "the same, or else the default text editor",
      arguments: ["-e", "file"], isEditor: true,
      seen: ["start", "launched for file://HOME/file", "open file://HOME/file"]),
    Row(
      option: "-e", macOS: "alone: launches it", ours: "the same", arguments: ["-e"],
      isEditor: true, seen: itself),
    Row(
      option: "-t", macOS: "with the default text editor", ours: "the same",
      arguments: ["-t", "file"], isEditor: true,
      seen: ["start", "launched for file://HOME/file", "open file://HOME/file"]),
    Row(
      option: "-t", macOS: "with the default text editor", ours: "status 4 where there is none",
      arguments: ["-t", "file"], status: 4,
      error: "lsopen: no text editor is registered: no application opens public.plain-text\n"),
    Row(
      option: "-f", macOS: "standard input in the default text editor", ours: "the same",
      arguments: ["-f"], isEditor: true, seen: ["start", "launched for stdin", "open stdin"]),
    Row(
      option: "-F", macOS: "without restoring windows", ours: "launch option 'fresh'",
      arguments: ["-F", "photos:1"],
      seen: ["start", "launched for photos:1, fresh", "open photos:1"]),
    Row(
      option: "-W", macOS: "waits until the application has ended", ours: "the same",
      arguments: ["-W", "photos:1"],
      script: .delegate(deliveries: [.answer(true), .exit(3)]), seen: cold),
    Row(
      option: "-W", macOS: "also for one that ran already", ours: "the same",
      arguments: ["-Wa", "Photos"], isRunning: true,
      script: .delegate(deliveries: [.answer(true)], [.answer(true), .exit(0)]), seen: ["reopen"]),
    Row(
      option: "-R", macOS: "shows it in the Finder",
      ours: "in org.freedesktop.FileManager1, if any",
      arguments: ["-R", "photos:file"].map { $0 == "-R" ? $0 : "./\($0)" }, status: 4,
      error:
        "lsopen: no file manager is on the session bus (org.freedesktop.FileManager1): The name "
        + "org.freedesktop.FileManager1 was not provided by any .service files\n"),
    Row(
      option: "-R", macOS: "opens nothing", ours: "no other option goes with it",
      arguments: ["-R", "-n", "file"], status: 64,
      error: "lsopen: option '--new' does not go with '--reveal'; try 'lsopen --help'\n"),
    Row(
      option: "-n", macOS: "a new instance", ours: "the same", arguments: ["-n", "photos:1"],
      isRunning: true, seen: cold),
    Row(
      option: "-n", macOS: "one new instance gets all", ours: "the same",
      arguments: ["-n", "photos:1", "photos:2", "photos:3"], isRunning: true,
      seen: cold + ["open photos:2", "open photos:3"]),
    Row(
      option: "-g", macOS: "not to the front", ours: "the same", arguments: ["-g", "photos:1"],
      seen: cold + ["background"]),
    Row(
      option: "-g", macOS: "not to the front", ours: "the same", arguments: ["-ga", "Photos"],
      seen: itself + ["background"]),
    Row(
      option: "-j", macOS: "launched hidden", ours: "launch option 'hidden', and as -g",
      arguments: ["--hide", "photos:1"],
      seen: ["start", "launched for photos:1, hidden", "open photos:1", "background"]),
    Row(
      option: "-h", macOS: "searches header folders", ours: "prints the help",
      arguments: ["-h"], output: "HELP"),
    Row(
      option: "-s", macOS: "of which SDK, with -h", ours: "there is none: status 64",
      arguments: ["-s", "macosx"], status: 64,
      error: "lsopen: option '-s' is not known; try 'lsopen --help'\n"),
    Row(
      option: "-u", macOS: "a URL even if a file has that name", ours: "the same",
      arguments: ["-u", "photos:file"],
      seen: ["start", "launched for photos:file", "open photos:file"]),
    Row(
      option: "-u", macOS: "a URL in any case", ours: "the same", arguments: ["--url", "file"],
      status: 4,
      error: "lsopen: 'file' is no URL: a URL begins with a scheme and a colon, like myapp:,"
        + " and the path of a file with /\n"),
    Row(
      option: "-i", macOS: "standard input", ours: "the same",
      arguments: ["-i", "photos:file", "photos:1"],
      seen: ["start", "input photos:file"] + cold.dropFirst()),
    Row(
      option: "-o", macOS: "standard output", ours: "the same; added to what is there",
      arguments: ["-o", "written", "--stderr", "written", "-a", "Photos"],
      seen: ["start", "output written", "errors written", "launched"]),
    Row(
      option: "--stderr", macOS: "of a new process only", ours: "the same, and says so",
      arguments: ["--stderr", "written", "photos:1"], isRunning: true,
      error: "lsopen: com.example.photos was running already, so --stderr had no effect\n",
      seen: ["open photos:1"]),
    Row(
      option: "--env", macOS: "adds a variable; NAME alone is empty", ours: "the same",
      arguments: ["--env", "TABLE_A=1", "--env", "TABLE_B", "-a", "Photos"],
      seen: ["start", "TABLE_A=1", "TABLE_B=", "launched"]),
    Row(
      option: "--env", macOS: "of a new process only", ours: "the same, and says so",
      arguments: ["--env", "TABLE_A=1", "photos:1"], isRunning: true,
      error: "lsopen: com.example.photos was running already, so --env had no effect\n",
      seen: ["open photos:1"]),
    Row(
      option: "--arch", macOS: "launches this architecture", ours: "no effect, and says so",
      arguments: ["--arch", "arm64", "photos:1"],
      error: "lsopen: programs here have one architecture, so --arch arm64 has no effect\n",
      seen: cold),
    Row(
      option: "--args", macOS: "all that follows goes to the new process", ours: "the same",
      arguments: ["-a", "Photos", "--args", "-n", "--", "x y"],
      seen: ["start", "arguments -n|--|x y", "launched"]),
    Row(
      option: "none", macOS: "usage, exit 1", ours: "status 64", arguments: [], status: 64,
      error: "lsopen: there is no URL or path to open; try 'lsopen --help'\n"),
  ]

  @Test("does as the table says", arguments: rows)
  func row(_ row: Row) async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"], row.script) {
        $0.bundleName = "Photos"
        $0.sdk = "macosx26.0"
        guard row.isEditor else { return }
        $0.otherKeys["CFBundleDocumentTypes"] = [
          ["CFBundleTypeRole": "Editor", "LSItemContentTypes": ["public.plain-text"]]
        ]
      }
      if row.isEditor { try await world.installCoreTypes() }
      let home = world.folder + "/home"
      try FileManager.default.createDirectory(
        atPath: home + "/Fake.app", withIntermediateDirectories: false)
      for file in ["photos:file", "file"] {
        try "".write(toFile: "\(home)/\(file)", atomically: true, encoding: .utf8)
      }
      if row.isRunning { _ = try await world.client.open("photos:0") }
      _ = photos.heard()
      func real(_ text: String) -> String {
        text.replacing("HOME", with: home).replacing("APP", with: photos.path)
      }
      let lsopen = try world.startProcess(
        "/bin/sh",
        ["-c", #"exec "$0" "$@" >../out 2>../err"#, try #require(Example.program("lsopen"))]
          + row.arguments.map(real))
      #expect(try await lsopen.hasEnded() == "exited with code \(row.status)")
      let output = try String(contentsOfFile: world.folder + "/out", encoding: .utf8)
      if row.output == "HELP" {
        #expect(output.hasPrefix("Usage: lsopen [OPTION]... URL|PATH..."))
      } else {
        #expect(output == row.output)
      }
      #expect(
        try String(contentsOfFile: world.folder + "/err", encoding: .utf8) == real(row.error))
      let isBehind =
        try await world.client.states().values.contains("background") ? ["background"] : []
      let seen = photos.heard().flatMap(words).map { text in
        text.replacing(home, with: "HOME").replacing(#/file:\S*\/stdin-\w+\.txt/#, with: "stdin")
      }
      #expect(seen + isBehind == row.seen)
    }
  }

  private func words(_ event: HandlerEvent) -> [String] {
    switch event {
    case .started: return ["start"]
    case .checkedIn(.launchOptions(let url, _, let hints)):
      let parts =
        ["launched" + (url.map { " for \($0.url)" } ?? "")] + (hints.fresh ? ["fresh"] : [])
        + (hints.hidden ? ["hidden"] : [])
      return [parts.joined(separator: ", ")]
    case .opened(let urls): return urls.map { "open \($0.url)" }
    case .reopened: return ["reopen"]
    case .facts(let facts):
      let names = ["input", "output", "errors"]
      let streams = zip(names, facts.streams).compactMap { name, path in
        path.contains("/home/") ? "\(name) \(path.split(separator: "/").last ?? "")" : nil
      }
      let arguments = facts.arguments.joined(separator: "|")
      let variables = facts.environment.filter { $0.key.hasPrefix("TABLE_") }
      return streams + variables.map { "\($0.key)=\($0.value)" }.sorted()
        + (arguments.isEmpty ? [] : ["arguments \(arguments)"])
    default: return []
    }
  }

  @Test("R7.1 a file whose name is no UTF-8 is opened, and shown")
  func bytes() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos") { $0.bundleName = "Photos" }
      let manager = try FileManagerOnBus(in: world)
      let shell = try world.startProcess(
        "/bin/sh",
        [
          "-c",
          #"name=$(printf 'a\377 b') && : >"$name" && "$0" -a Photos "$name" && "$0" -R "$name""#,
          try #require(Example.program("lsopen")),
        ])
      #expect(try await shell.hasEnded() == "exited with code 0")
      #expect(shell.lines == [])
      let url = "file://\(world.folder)/home/a%FF%20b"
      #expect(photos.heard().last == .opened([OpenedURL(url, openInPlace: false)]))
      #expect(manager.shown == [[url]])
    }
  }
}
