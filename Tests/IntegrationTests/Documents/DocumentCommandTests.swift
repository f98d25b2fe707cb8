import BusContract
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

@MainActor
@Suite("Documents on the command line", .timeLimit(.minutes(30)))
struct DocumentCommandTests {
  /// Runs a command and gives how it ended, with what it wrote.
  private func run(
    _ world: Testbed, _ program: String, _ arguments: [String]
  ) async throws -> (end: String, lines: [String]) {
    let process = try world.startProcess(program, arguments)
    return (try await process.hasEnded(), process.lines)
  }

  @Test("show, dump and its graph tell of documents, choices and associated domains")
  func seeing() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      try await world.install("com.example.a", opening: ["com.example.note"], rank: "Owner") {
        $0.otherKeys["UTExportedTypeDeclarations"] = [
          [
            "UTTypeIdentifier": "com.example.note", "UTTypeDescription": "A note",
            "UTTypeConformsTo": ["public.text"],
            "UTTypeTagSpecification": ["public.filename-extension": ["note"]],
          ]
        ]
        $0.otherKeys["com.apple.developer.associated-domains"] = ["applinks:*.notes.example"]
      }
      try await world.install("com.example.b", opening: ["com.example.note"])
      func graph() async throws -> [String] {
        try await run(world, "lsregister", ["dump", "--dot"]).lines
      }
      let edge = #"  "type com.example.note" -> "application com.example."#
      let before = try await graph()
      #expect(before.contains(edge + #"a" [style=bold];"#) && before.contains(edge + #"b";"#))
      #expect(before.contains(#"  "domain *.notes.example" -> "application com.example.a";"#))
      #expect(!before.contains { $0.contains("coretypes") || $0.contains("Core Types") })
      let chosen = try await run(
        world, "lsregister", ["default", "com.example.note", "com.example.b"])
      #expect(chosen.end == "exited with code 0")
      let after = try await graph()
      #expect(after.contains(edge + #"b" [style=bold];"#) && after.contains(edge + #"a";"#))
      let shown = try await run(world, "lsregister", ["show", "com.example.a"]).lines
      for fact in [
        "associated-domains  *.notes.example",
        "document-types      content-types=com.example.note  rank=Owner  role=Editor",
        "exported-types      conforms-to=public.text  description=A note  extensions=note"
          + "  type=com.example.note",
      ] {
        #expect(shown.contains(fact), "\(shown)")
      }
      let file = try world.write(document: "a b.note")
      let path = "\(world.documents)/a b.note"
      _ = try await run(world, "lsregister", ["default", path, "com.example.a"])
      let dumped = try await run(world, "lsregister", ["dump"]).lines
      #expect(
        dumped.contains { $0.hasPrefix("chosen-for-files: ") && $0.hasSuffix(" " + file) },
        "\(dumped)")
      #expect(
        dumped.contains { $0.hasPrefix("chosen-for-types: ") && $0.hasSuffix(" com.example.note") },
        "\(dumped)")
    }
  }

  @Test("several files are one delivery; one that is missing is named, with status 2") func batch()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let names = ["b.txt", "a b\n#1?.txt", "ü.txt"]
      let urls = try names.map { try world.write(document: $0) }
      let paths = names.map { "\(world.documents)/\($0)" }
      let missing = world.documents + "/missing"
      let (end, lines) = try await run(
        world, "lsopen", [paths[0], missing, paths[1], urls[2]])
      #expect(end == "exited with code 2")
      #expect(lines == ["lsopen: \(missing): The file \(missing) does not exist."])
      #expect(text.deliveries() == [urls])
      let url = "file://" + missing
      let both = try await run(world, "lsopen", [url, urls[0]])
      #expect(both.end == "exited with code 2")
      #expect(
        both.lines == [
          "lsopen: \(missing): The file \(missing) does not exist. (OSStatus error -43)"
        ])
    }
  }

  @Test("a name that is not UTF-8 is passed byte for byte") func oddNames() async throws {
    try await Testbed.run { world in
      let a = try await world.install("com.example.a", schemes: ["file"])
      try world.write(document: "a.txt")
      let bytes = Array("\(world.documents)/".utf8) + [0xff, 0x20, 0xfe]
      let file = unsafe (bytes + [0]).withUnsafeBufferPointer { buffer in
        unsafe buffer.withMemoryRebound(to: CChar.self) { unsafe creat($0.baseAddress!, 0o600) }
      }
      #expect(file >= 0)
      close(file)
      let script = "cd \"$1\" && exec \"$2\" $(printf '\\377')*"
      let (end, lines) = try await run(
        world, "/bin/bash",
        ["-c", "IFS=; " + script, "bash", world.documents, Fixture.program("lsopen")])
      #expect(end == "exited with code 0", "\(lines)")
      #expect(a.deliveries() == [["file://\(world.documents)/%FF%20%FE"]])
      let asked = try await run(
        world, "/bin/bash",
        [
          "-c", "\"$2\" default \"$1\"/$'\\xff \\xfe'; \"$2\" add \"$1\"/$'\\xff \\xfe'", "bash",
          world.documents, Fixture.program("lsregister"),
        ])
      #expect(asked.end == "exited with code 64")
      #expect(
        asked.lines == [
          "com.example.a",
          "lsregister: '\(world.documents)/\\xff \\xfe' is not UTF-8; only names of files to open"
            + " may have another encoding; try 'lsregister --help'",
        ])
    }
  }

  @Test("more than one call takes are as many deliveries, in order") func many() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let names = (0...DocumentLimit.mostDocuments).map { "\($0).txt" }
      let urls = try names.map { try world.write(document: $0) }
      let (end, lines) = try await run(world, "lsopen", names.map { "\(world.documents)/\($0)" })
      #expect(end == "exited with code 0", "\(lines)")
      let some = DocumentLimit.mostDocuments
      #expect(text.deliveries() == [Array(urls[..<some]), Array(urls[some...])])
    }
  }

  @Test("a closed standard input hinders no documents, and -f says that it cannot be read")
  func closedInput() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let urls = try ["a.txt", "b.txt"].map { try world.write(document: $0) }
      let lsopen = Fixture.program("lsopen")
      let opened = try await run(
        world, "/bin/sh", ["-c", "cd \"$0\" && \"$1\" a.txt b.txt <&-", world.documents, lsopen])
      #expect(opened.end == "exited with code 0", "\(opened.lines)")
      #expect(text.deliveries() == [urls])
      let read = try await run(world, "/bin/sh", ["-c", "\"$0\" -f <&-", lsopen])
      #expect(read.end == "exited with code 4")
      #expect(read.lines == ["lsopen: standard input cannot be read: Bad file descriptor"])
      #expect(text.deliveries() == [])
    }
  }

  @Test("R7.2 -t is the default text editor, -e TextEdit, and -f reads standard input")
  func editors() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let url = try world.write(document: "a.png")
      let path = world.documents + "/a.png"
      let none = try await run(world, "lsopen", ["-t", path])
      #expect(none.end == "exited with code 4")
      #expect(
        none.lines == [
          "lsopen: no text editor is registered: no application opens public.plain-text"
        ])
      let other = try await world.install(
        "com.example.editor", opening: ["public.plain-text"], rank: "Owner")
      let textEdit = try await world.install("com.apple.TextEdit", opening: ["public.text"])
      #expect(try await run(world, "lsopen", ["-t", path]).end == "exited with code 0")
      #expect(other.deliveries() == [[url]])
      #expect(try await run(world, "lsopen", ["-e", path]).end == "exited with code 0")
      #expect(textEdit.deliveries() == [[url]])
      let piped = try await run(
        world, "/bin/bash", ["-c", "printf 'a\\nb' | \"$1\" -f", "bash", Fixture.program("lsopen")])
      #expect(piped.end == "exited with code 0", "\(piped.lines)")
      let saved = try #require(other.deliveries().first?.first)
      let folder = try #require(world.environment["XDG_CACHE_HOME"]) + "/launch-services/stdin"
      #expect(saved.hasPrefix("file://\(folder)/stdin-"))
      let file = String(saved.dropFirst("file://".count))
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "a\nb")
      let modes = try [folder, file].map {
        try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
      }
      #expect(modes == [0o700, 0o600])
    }
  }

  @Test("lsregister tells types and handlers of files and types, and sets them") func lsregister()
    async throws
  {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      try await world.install("com.example.a", opening: ["public.json"])
      try await world.install("com.example.b", opening: ["public.text"])
      try await world.install("com.example.c", schemes: ["com.example.c"])
      try world.write(document: "a.json")
      let path = world.documents + "/a.json"
      #expect(
        try await run(world, "lsregister", ["type", path]).lines == [
          "type         public.json",
          "why          the extension json, as org.launchservices.system.CoreTypes declares",
          "description  JSON",
          "conforms-to  public.text",
          "conforms-to  public.data",
          "conforms-to  public.content",
          "conforms-to  public.item",
        ])
      #expect(
        try await run(world, "lsregister", ["handlers", path]).lines == [
          "com.example.a  the other claims are for more general types; it claims public.json",
          "com.example.b  another claim is for a more specific type; it claims public.text",
        ])
      #expect(
        try await run(world, "lsregister", ["default", "public.json"]).lines == ["com.example.a"])
      _ = try await run(world, "lsregister", ["default", "public.json", "com.example.b"])
      #expect(try await run(world, "lsregister", ["default", path]).lines == ["com.example.b"])
      _ = try await run(world, "lsregister", ["default", path, "com.example.a"])
      #expect(try await run(world, "lsregister", ["default", path]).lines == ["com.example.a"])
      _ = try await run(world, "lsregister", ["default", path, "--unset"])
      #expect(try await run(world, "lsregister", ["default", path]).lines == ["com.example.b"])
      #expect(
        try await run(world, "lsregister", ["default", "com.example.c:"]).lines == [
          "com.example.c"
        ])
      let nobody = try await run(world, "lsregister", ["default", "public.png"])
      #expect(nobody.end == "exited with code 4")
      #expect(
        nobody.lines == ["lsregister: no application opens files of type 'public.png'"])
    }
  }
}

@MainActor
@Suite(
  "Documents and sandboxes", .timeLimit(.minutes(30)),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/bwrap"),
    "there is no bwrap; install bubblewrap"))
struct DocumentSandboxTests {
  @Test("a caller in a sandbox cannot have files opened: its paths are others") func refused()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.a", schemes: ["file"])
      try world.write(document: "a.txt")
      try "[Application]\nname=com.example.other\n".write(
        toFile: world.folder + "/flatpak-info", atomically: true, encoding: .utf8)
      var arguments: [String] = []
      for name in try FileManager.default.contentsOfDirectory(atPath: "/").sorted() {
        let path = "/" + name
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        arguments += link.map { ["--symlink", $0, path] } ?? ["--dev-bind", path, path]
      }
      arguments += ["--ro-bind", world.folder + "/flatpak-info", "/.flatpak-info"]
      let sandbox = try world.startProcess(
        "/usr/bin/bwrap", arguments + [Fixture.program("lsopen"), world.documents + "/a.txt"])
      #expect(try await sandbox.hasEnded() == "exited with code 4")
      #expect(
        sandbox.lines.first?.contains("org.freedesktop.portal.OpenURI") == true, "\(sandbox.lines)")
    }
  }
}
