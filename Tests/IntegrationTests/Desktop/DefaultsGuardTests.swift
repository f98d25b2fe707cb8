import Foundation
import Host
import LaunchServicesTesting
import Testing

/// With the programs of the machine: xdg-settings of xdg-utils, and gio.
@MainActor
@Suite(
  "The guard of the default applications",
  .enabled(
    if: Desktop.isInstalled("update-desktop-database") && Desktop.isInstalled("xdg-settings")
      && Desktop.isInstalled("gio"),
    "needs the packages desktop-file-utils, xdg-utils and libglib2.0-bin"),
  // The guard sees all processes of the user, also the choice in the terminal of another test.
  .serialized, .timeLimit(.minutes(30)))
struct DefaultsGuardTests {
  private static let before = """
    # mine
    [Default Applications]
    text/html=web.desktop
    x-scheme-handler/https = web.desktop

    [Added Associations]
    text/html=web.desktop;

    """

  /// Runs a test with an application that handles the scheme `taken`, and web pages opened by another one.
  private func run(
    policy: String, _ body: @MainActor (Testbed, Desktop) async throws -> Void
  ) async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("web", schemes: ["http", "https"])
      try await desktop.install("taker", schemes: ["taken"])
      try desktop.write(desktop.mimeApps, Self.before)
      #expect(try await desktop.command("lsregister", "guard", "on", policy).first == policy)
      try await body(world, desktop)
    }
  }

  /// What many programs do at their start. xdg-settings reads the file again when it has written the file, and ends
  /// with 4 when the guard has restored the file before that.
  private func takeScheme(_ desktop: Desktop) async throws {
    try await desktop.command(
      "xdg-settings", "set", "default-url-scheme-handler", "taken", "taker.desktop",
      statuses: [0, 4], environment: ["XDG_CURRENT_DESKTOP": "GNOME"])
  }

  /// What `lsregister guard changes --json` prints.
  private struct Changes: Decodable {
    struct Change: Decodable {
      struct Line: Decodable {
        let type: String
        let restored: String?
      }
      let number: Int
      let processes: [String]
      let lines: [Line]
      let undone: Bool
    }
    let changes: [Change]
    var lines: [Change.Line] { changes.flatMap(\.lines) }
  }

  private func changes(_ desktop: Desktop) async throws -> Changes {
    let text = try await desktop.command("lsregister", "guard", "changes", "--json").joined()
    return try JSONDecoder().decode(Changes.self, from: Data(text.utf8))
  }

  @Test("restore: xdg-settings takes the web pages with the scheme; the guard brings them back")
  func restore() async throws {
    try await run(policy: "restore") { world, desktop in
      try await takeScheme(desktop)
      try await world.daemon.line(containing: "taker became the default for text/html, which was")
      try await world.daemon.line(
        containing: "taker became the default for x-scheme-handler/taken.")
      let after = try #require(desktop.contents(desktop.mimeApps))
      #expect(after.contains("text/html=web.desktop\n"))
      #expect(after.contains("x-scheme-handler/taken=taker.desktop\n"))
      let lines = try await changes(desktop).lines
      #expect(lines.count == 2)
      #expect(lines.contains { $0.type == "text/html" && $0.restored != nil })
      #expect(lines.contains { $0.type == "x-scheme-handler/taken" && $0.restored == nil })
      // The next start of the program: only the web pages change, and come back, too.
      try await takeScheme(desktop)
      try await world.daemon.line(containing: "change 2: taker became the default for text/html")
      #expect(desktop.contents(desktop.mimeApps) == after)
    }
  }

  @Test("notice: the change stays, and undo brings the file back byte for byte") func undo()
    async throws
  {
    try await run(policy: "notice") { world, desktop in
      try await takeScheme(desktop)
      try await world.daemon.line(containing: "change 1: taker became the default for text/html.")
      #expect(desktop.contents(desktop.mimeApps)?.contains("text/html=taker.desktop") == true)
      try await desktop.command("lsregister", "guard", "undo", "1")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
      try await desktop.command(
        "lsregister", "guard", "undo", "1", complaint: "the change 1 is undone already")
      try await desktop.command(
        "lsregister", "guard", "undo", "7", complaint: "the guard has no change 7")
    }
  }

  @Test("undo leaves alone what has changed since, and says so") func undoLater() async throws {
    try await run(policy: "notice") { world, desktop in
      try await takeScheme(desktop)
      try await world.daemon.line(
        containing: "taker became the default for x-scheme-handler/taken.")
      let taken = try #require(desktop.contents(desktop.mimeApps))
      let later = taken.replacing("text/html=taker.desktop", with: "text/html=third.desktop")
        .replacing("# mine", with: "# still mine")
      try desktop.write(desktop.mimeApps, later)
      try await world.daemon.line(containing: "third.desktop became the default")
      // xdg-settings writes several times, which may be several changes.
      let change = try #require(
        try await changes(desktop).changes.first { change in
          change.lines.contains { $0.type == "x-scheme-handler/taken" }
        })
      try await desktop.command("lsregister", "guard", "undo", "\(change.number)")
      #expect(
        desktop.contents(desktop.mimeApps)
          == later.replacing("x-scheme-handler/taken=taker.desktop\n", with: ""))
    }
  }

  /// Makes the other application the default in a terminal, with a program that runs until the guard has seen it.
  private func choose(
    _ type: String, in world: Testbed, _ desktop: Desktop, untilSeen: () async throws -> Void
  ) async throws {
    // The guard can see xdg-mime for as long as its mv waits.
    let (tools, gate) = (world.folder + "/tools", world.folder + "/gate")
    try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
    try "#!/bin/sh\n/bin/mv \"$@\"\nread -r line <\(gate)\n"
      .write(toFile: tools + "/mv", atomically: true, encoding: .utf8)
    try await desktop.command("chmod", "+x", tools + "/mv")
    try await desktop.command("mkfifo", gate)
    let choice = Task {
      try await desktop.command(
        "script", "-qec", "xdg-mime default taker.desktop \(type); true", "/dev/null",
        environment: ["PATH": tools + ":" + Desktop.path])
    }
    try await untilSeen()
    try await desktop.command("sh", "-c", "echo >\(gate)")
    _ = try await choice.value
  }

  @Test("The user's choice in a terminal stays, also of an application that was refused before")
  func userChoice() async throws {
    try await run(policy: "restore") { world, desktop in
      try await takeScheme(desktop)
      try await world.daemon.line(containing: "text/html, which was taken back")
      // script makes a terminal, whose shell runs the command. A program of the same kind without a terminal is
      // no choice of the user.
      try await desktop.command("xdg-mime", "default", "taker.desktop", "text/html")
      try await world.daemon.line(containing: "change 2: taker became the default for text/html, ")
      try await choose("text/html", in: world, desktop) {
        try await world.daemon.line(containing: "change 3: taker became the default for text/html.")
      }
      #expect(desktop.contents(desktop.mimeApps)?.contains("text/html=taker.desktop") == true)
    }
  }

  @Test("What the user writes through a symbolic link in a terminal stays") func choiceBehindLink()
    async throws
  {
    try await Desktop.run { world, desktop in
      let file = world.folder + "/dotfiles/list"
      try desktop.write(file, Self.before)
      try FileManager.default.createDirectory(
        atPath: world.folder + "/config", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: desktop.mimeApps, withDestinationPath: "../dotfiles/list")
      try await desktop.install("taker", schemes: ["taken"])
      try await desktop.command("lsregister", "guard", "on", "restore")
      // When this is seen, the guard watches.
      let ready = Self.before.replacing(
        "text/html=web.desktop\n",
        with: "text/html=web.desktop\nx-scheme-handler/ready=taker.desktop\n", maxReplacements: 1)
      try desktop.write(file, ready)
      try await world.daemon.line(
        containing: "taker became the default for x-scheme-handler/ready.")
      let (chosen, gate) = (world.folder + "/chosen", world.folder + "/gate")
      // Another program could not take both.
      let both = "text/html=taker.desktop\nx-scheme-handler/taken=taker.desktop\n"
      try desktop.write(
        chosen,
        ready.replacing("text/html=web.desktop\n", with: both, maxReplacements: 1))
      try await desktop.command("mkfifo", gate)
      // The guard can see tee for as long as its input is open.
      let choice = Task {
        try await desktop.command(
          "script", "-qec",
          "(cat \(chosen); read -r line <\(gate)) | tee \(desktop.mimeApps); true", "/dev/null")
      }
      try await world.daemon.line(containing: "taker became the default for text/html.")
      try await desktop.command("sh", "-c", "echo >\(gate)")
      _ = try await choice.value
      #expect(desktop.contents(file)?.contains("text/html=taker.desktop\n") == true)
    }
  }

  @Test("What another program takes just after the user's choice is taken back, the choice stays")
  func theftAfterChoice() async throws {
    try await run(policy: "restore") { world, desktop in
      try await choose("x-scheme-handler/https", in: world, desktop) {
        try await desktop.wait(for: world.folder + "/config") {
          desktop.contents(desktop.mimeApps)?.contains("x-scheme-handler/https=taker") == true
        }
        let chosen = try #require(desktop.contents(desktop.mimeApps))
        try desktop.write(
          desktop.mimeApps,
          chosen.replacing("text/html=web.desktop\n", with: "text/html=taker.desktop\n"))
        try await world.daemon.line(
          containing: "taker became the default for text/html, which was taken back")
      }
      let after = try #require(desktop.contents(desktop.mimeApps))
      #expect(after.contains("x-scheme-handler/https=taker.desktop"), "\(after)")
      #expect(after.contains("text/html=web.desktop\n"), "\(after)")
    }
  }

  @Test(
    "keep after undo makes the whole change again, and undo undoes that",
    arguments: [
      "notice", "restore",
    ])
  func keepAfterUndo(policy: String) async throws {
    try await run(policy: policy) { world, desktop in
      let taken = Self.before.replacing(
        "text/html=web.desktop\nx",
        with: "# taken\ntext/html=taker.desktop\nx-scheme-handler/taken=taker.desktop\nx")
      try desktop.write(desktop.mimeApps, taken)
      try await world.daemon.line(containing: "change 1: taker became the default for text/html")
      try await desktop.command("lsregister", "guard", "undo", "1")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
      try await desktop.command("lsregister", "guard", "keep", "1")
      #expect(desktop.contents(desktop.mimeApps) == taken)
      let kept = try await changes(desktop).changes[0]
      #expect(!kept.undone && kept.lines.allSatisfy { $0.restored == nil })
      try await desktop.command("lsregister", "guard", "undo", "1")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
      // What has changed since stays.
      try desktop.write(desktop.mimeApps, "# later\n" + Self.before)
      try await desktop.wait(for: world.folder + "/state/launch-services/guard/changes") {
        FileManager.default.fileExists(
          atPath: world.folder + "/state/launch-services/guard/changes/2.plist")
      }
      try await desktop.command("lsregister", "guard", "keep", "1")
      let after = try #require(desktop.contents(desktop.mimeApps))
      #expect(after.hasPrefix("# later\n# mine"))
      #expect(after.contains("text/html=taker.desktop\n"))
      #expect(after.contains("x-scheme-handler/taken=taker.desktop\n"))
      #expect(try await !changes(desktop).changes[0].undone)
      // The same of undo after that.
      try await desktop.command("lsregister", "guard", "undo", "1")
      #expect(desktop.contents(desktop.mimeApps) == "# later\n" + Self.before)
    }
  }

  /// Runs a statement of Python just after the list was removed.
  private func replaceList(_ desktop: Desktop, _ statement: String) async throws {
    try await desktop.command(
      "python3", "-c", "import os, sys; path = sys.argv[1]; os.unlink(path); " + statement,
      desktop.mimeApps)
  }

  @Test(
    "What is no file in the place of a list is recorded, and the list comes back",
    arguments: [
      ("os.mkdir(path)", "a folder"), ("os.mkfifo(path)", "a FIFO"),
      ("os.symlink('/dev/null', path)", "a device"),
    ])
  func replaced(command: String, kind: String) async throws {
    try await run(policy: "restore") { world, desktop in
      try await replaceList(desktop, command)
      try await world.daemon.line(
        containing: "change 1: \(desktop.mimeApps) was replaced by \(kind), which was taken back")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
      #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    }
  }

  @Test("A FIFO that is a list of another folder does not keep the guard waiting, and is removed")
  func fifoList() async throws {
    try await run(policy: "restore") { world, desktop in
      // The guard looks at this folder after that of the other list.
      let list = desktop.entries + "/mimeapps.list"
      let taken = Self.before.replacing(
        "text/html=web.desktop\nx", with: "text/html=taker.desktop\nx")
      try desktop.write(desktop.mimeApps + ".new", taken)
      try await desktop.command(
        "python3", "-c",
        "import os, sys; os.mkfifo(sys.argv[1]); os.rename(sys.argv[2] + '.new', sys.argv[2])",
        list, desktop.mimeApps)
      try await world.daemon.line(
        containing: "\(list) was replaced by a FIFO, which was taken back")
      try await world.daemon.line(
        containing: "became the default for text/html, which was taken back")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
      #expect(!FileManager.default.fileExists(atPath: list))
    }
  }

  @Test("A FIFO among the desktop entries does not keep the guard waiting") func fifo() async throws
  {
    try await run(policy: "restore") { world, desktop in
      try await desktop.command("mkfifo", desktop.entries + "/fifo.desktop")
      try desktop.write(
        desktop.mimeApps,
        Self.before.replacing("text/html=web.desktop\nx", with: "text/html=fifo.desktop\nx"))
      try await world.daemon.line(
        containing: "fifo.desktop became the default for text/html, which was taken back")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
    }
  }

  @Test(
    "notice says that a folder is in the place of a list; undo never removes a folder with files")
  func replacedByFolder() async throws {
    try await run(policy: "notice") { world, desktop in
      let file = desktop.mimeApps + "/file"
      try await replaceList(desktop, "os.mkdir(path); open(path + '/file', 'w')")
      try await world.daemon.line(
        containing: "change 1: \(desktop.mimeApps) was replaced by a folder.")
      try await desktop.command(
        "lsregister", "guard", "undo", "1", complaint: "move the folder away")
      #expect(FileManager.default.fileExists(atPath: file))
      // The way out that the message names.
      try await desktop.command("mv", desktop.mimeApps, world.folder + "/away")
      try await desktop.command("lsregister", "guard", "undo", "1")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
      #expect(FileManager.default.fileExists(atPath: world.folder + "/away/file"))
    }
  }

  @Test("The list of changes fits a terminal of 100 columns") func width() async throws {
    try await run(policy: "notice") { world, desktop in
      let many = (1...40).map { "application-number-\($0).desktop;" }.joined()
      try desktop.write(
        desktop.mimeApps,
        Self.before.replacing("https = web.desktop", with: "https = " + many))
      try await world.daemon.line(containing: "change 1: ")
      let lines = try await desktop.command("lsregister", "guard", "changes")
      #expect(lines.allSatisfy { $0.count <= 100 }, "\(lines)")
      let text = lines.joined(separator: " ")
      #expect(text.contains("application-number-1.desktop") && text.contains("number-40.desktop"))
    }
  }

  @Test(
    "Single lines that take something from another application come back byte for byte",
    arguments: [
      (
        "text/html=web.desktop\nx", "text/html=taker.desktop\nx",
        "taker became the default for text/html,"
      ),
      ("https = web", "https = taker", "taker became the default for x-scheme-handler/https,"),
      (
        "x-scheme-handler/https = web.desktop\n", "",
        "default for x-scheme-handler/https was removed,"
      ),
      (
        "text/html=web.desktop;", "text/html=taker.desktop;web.desktop;",
        "added associations of text/html"
      ),
      (
        "[Added", "[Removed Associations]\ntext/html=web.desktop;\n[Added",
        "removed associations of"
      ),
    ])
  func singleLines(line: String, taken: String, sentence: String) async throws {
    try await run(policy: "restore") { world, desktop in
      let after = Self.before.replacing(line, with: taken)
      #expect(after != Self.before)
      try desktop.write(desktop.mimeApps, after)
      try await world.daemon.line(containing: sentence)
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
      // What the user wants after all.
      try await desktop.command("lsregister", "guard", "keep", "1")
      #expect(
        desktop.contents(desktop.mimeApps)?.split(separator: "\n").sorted()
          == after.split(separator: "\n").sorted())
      try await desktop.command(
        "lsregister", "guard", "keep", "1",
        complaint: "the guard has taken back nothing of a change 1")
    }
  }

  @Test("Six quick changes in a row: the state before the first comes back") func inARow()
    async throws
  {
    try await run(policy: "restore") { world, desktop in
      for type in ["text/html", "image/png", "image/gif", "text/html", "text/plain", "text/html"] {
        try await desktop.command("xdg-mime", "default", "taker.desktop", type)
      }
      try await desktop.command("xdg-mime", "default", "taker.desktop", "x-scheme-handler/https")
      try await world.daemon.line(
        containing: "taker became the default for x-scheme-handler/https,")
      let after = try #require(desktop.contents(desktop.mimeApps))
      #expect(after.contains("text/html=web.desktop\n"))
      #expect(after.contains("https = web.desktop\n") || after.contains("https=web.desktop\n"))
    }
  }

  @Test("A list of more than 4 MiB is recorded as too large to compare, and undo brings it back")
  func tooLarge() async throws {
    try await run(policy: "restore") { world, desktop in
      // More than any real list, and compared.
      let large = Self.before + String(repeating: "# comment\n", count: 100_000)
      try desktop.write(desktop.mimeApps, large.replacing("https = web", with: "https = taker"))
      try await world.daemon.line(
        containing: "default for x-scheme-handler/https, which was taken back")
      #expect(desktop.contents(desktop.mimeApps)?.contains("https = web") == true)
      let before = try #require(desktop.contents(desktop.mimeApps))
      try desktop.write(desktop.mimeApps, String(repeating: large, count: 5))
      try await world.daemon.line(containing: "is too large to compare")
      #expect(
        try await desktop.command("lsregister", "guard", "changes").contains {
          $0.hasPrefix("2  ") && $0.contains("too large to compare")
        })
      try await desktop.command("lsregister", "guard", "undo", "2")
      #expect(desktop.contents(desktop.mimeApps) == before)
    }
  }

  @Test("Processes that started after the change are not named, the writer is") func writers()
    async throws
  {
    try await run(policy: "notice") { world, desktop in
      let script = """
        sleep 0.1
        printf '[Default Applications]\\ntext/html=taker.desktop\\n' > "$0"
        sleep 60 & echo "slept $!"
        wait
        """
      let writer = try world.startProcess("/bin/sh", ["-c", script, desktop.mimeApps])
      try await world.daemon.line(containing: "change 1: ")
      let processes = try await changes(desktop).changes.map(\.processes)
      #expect(
        processes.allSatisfy { $0.contains { $0.hasPrefix("sh (\(writer.pid))") } }, "\(processes)")
      // Other tests have processes of this name, too.
      let later = try #require(
        try await writer.line(containing: "slept ").split(separator: " ").last)
      #expect(
        !processes.joined().contains { $0.contains("sleep (\(later))") }, "\(processes)")
      writer.signal(SIGKILL)
    }
  }

  @Test("Changes in favour of an allowed application stay") func allowed() async throws {
    try await run(policy: "restore") { world, desktop in
      try await desktop.command("lsregister", "guard", "allow", "taker.desktop")
      #expect(
        try await desktop.command("lsregister", "guard").contains {
          $0.hasPrefix("allowed") && $0.hasSuffix("taker.desktop")
        })
      try await takeScheme(desktop)
      try await world.daemon.line(containing: "change 1: taker became the default for text/html.")
      #expect(desktop.contents(desktop.mimeApps)?.contains("text/html=taker.desktop") == true)
    }
  }

  @Test("Changes while no daemon runs are found by the next one; off records nothing")
  func restarts() async throws {
    try await run(policy: "restore") { world, desktop in
      try await world.stopDaemon()
      try await takeScheme(desktop)
      try await world.startDaemon(environment: ["PATH": Desktop.path])
      try await world.daemon.line(containing: "text/html, which was taken back")
      #expect(desktop.contents(desktop.mimeApps)?.contains("text/html=web.desktop") == true)
      #expect(try await desktop.command("lsregister", "guard", "off") == ["off"])
      try await takeScheme(desktop)
      try await desktop.command("lsregister", "guard", "on")
      #expect(try await changes(desktop).lines.count == 2)
      #expect(desktop.contents(desktop.mimeApps)?.contains("text/html=taker.desktop") == true)
    }
  }

  @Test("The list behind a symbolic link is guarded, and the link stays") func link() async throws {
    try await Desktop.run { world, desktop in
      let file = world.folder + "/dotfiles/list"
      try desktop.write(file, Self.before)
      try FileManager.default.createDirectory(
        atPath: world.folder + "/config", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: desktop.mimeApps, withDestinationPath: "../dotfiles/list")
      try await desktop.install("taker", schemes: ["taken"])
      try await desktop.command("lsregister", "guard", "on", "restore")
      let taken = Self.before.replacing(
        "text/html=web", with: "text/html=taker", maxReplacements: 1
      )
      .replacing("[Added", with: "x-scheme-handler/taken=taker.desktop\n[Added")
      try taken.write(toFile: file, atomically: true, encoding: .utf8)
      try await world.daemon.line(containing: "text/html, which was taken back")
      #expect(desktop.contents(file)?.contains("text/html=web.desktop\n") == true)
      let link = try FileManager.default.destinationOfSymbolicLink(atPath: desktop.mimeApps)
      #expect(link == "../dotfiles/list")
    }
  }

  @Test("A list of the desktop takes nothing that an application has by mimeapps.list")
  func otherList() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("web", schemes: ["http", "https"])
      try await desktop.install("taker", schemes: ["taken"])
      let before = Self.before.replacing(
        "text/html=web.desktop\nx", with: "x-scheme-handler/taken=web.desktop\nx")
      try desktop.write(desktop.mimeApps, before)
      try await desktop.command("lsregister", "guard", "on", "restore")
      let list = world.folder + "/config/gnome-mimeapps.list"
      try desktop.write(list, "[Default Applications]\nx-scheme-handler/taken=taker.desktop\n")
      try await world.daemon.line(
        containing: "taker became the default for x-scheme-handler/taken, which was taken back")
      #expect(desktop.contents(list) == nil)
      #expect(desktop.contents(desktop.mimeApps) == before)
    }
  }

  @Test("What lsregister desktop changes is no change of another program") func own() async throws {
    try await run(policy: "restore") { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await desktop.command("lsregister", "desktop", "enable", "photos")
      try await takeScheme(desktop)
      try await world.daemon.line(containing: "change 1: taker became the default for text/html")
      let lines = try await changes(desktop).lines
      #expect(!lines.contains { $0.type.contains("photos") })
      #expect(desktop.contents(desktop.mimeApps)?.contains("x-scheme-handler/photos=org.") == true)
    }
  }

  @Test(
    "A thousand changes: each default stays, every one is recorded, and nothing goes in circles")
  func thousand() async throws {
    try await run(policy: "restore") { world, desktop in
      var text = Self.before
      for number in 1...1000 {
        text = text.replacing(
          "[Default Applications]\n", with: "[Default Applications]\na/\(number)=taker.desktop\n")
        try desktop.write(desktop.mimeApps, text)
      }
      try await world.daemon.line(containing: "taker became the default for a/1000.")
      #expect(desktop.contents(desktop.mimeApps) == text)
      let lines = try await changes(desktop).lines
      #expect(lines.count == 1000)
      #expect(!lines.contains { $0.restored != nil })
    }
  }

  /// Gives all recorded changes the present time.
  private func dateChanges(of folder: String) throws {
    let now = UInt64(Date.now.timeIntervalSince1970 * 1_000_000)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let file = URL(filePath: "\(folder)/\(name)")
      let list = try unsafe PropertyListSerialization.propertyList(
        from: Data(contentsOf: file), options: [], format: nil)
      var record = try #require(list as? [String: Any])
      try #require(record["seen"] as? UInt64 != nil)
      record["seen"] = now
      try PropertyListSerialization.data(fromPropertyList: record, format: .binary, options: 0)
        .write(to: file, options: .atomic)
    }
  }

  @Test("A program that repeats its change is taken back five times a minute, and later")
  func stubborn() async throws {
    try await run(policy: "restore") { world, desktop in
      let taken = Self.before.replacing(
        "text/html=web.desktop\n", with: "text/html=taker.desktop\n")
      @MainActor func takenBack(_ times: Int) async throws {
        try await waitUntil("web pages taken back, \(times) times") {
          world.daemon.lines.count {
            $0.contains("taker became the default for text/html, which was taken back")
          } == times
        }
      }
      for number in 1...5 {
        try desktop.write(desktop.mimeApps, taken)
        try await takenBack(number)
      }
      // On a busy machine, five changes may take more than a minute.
      try dateChanges(of: world.folder + "/state/launch-services/guard/changes")
      try desktop.write(desktop.mimeApps, taken)
      try await world.daemon.line(containing: "changes were taken back 5 times in a minute")
      #expect(desktop.contents(desktop.mimeApps) == taken)
      // What waits does not become the user's with the user's next choice.
      try await choose("x-scheme-handler/https", in: world, desktop) {
        try await waitUntil("the user's choice is seen") {
          world.daemon.lines.count { $0.contains("changes were taken back 5 times in a minute") }
            == 2
        }
      }
      try await takenBack(6)
      let after = try #require(desktop.contents(desktop.mimeApps))
      #expect(after.contains("text/html=web.desktop\n"), "\(after)")
      #expect(after.contains("x-scheme-handler/https=taker.desktop"), "\(after)")
    }
  }

  @Test("A change while another process has the lock is recorded as soon as the lock is free")
  func locked() async throws {
    try await run(policy: "restore") { world, desktop in
      var lock: FolderLock?
      try await waitUntil("the lock is free") {
        lock = (try? FolderLock.take(world.folder + "/state/launch-services/desktop")) ?? nil
        return lock != nil
      }
      try desktop.write(
        desktop.mimeApps,
        Self.before.replacing("text/html=web.desktop\n", with: "text/html=taker.desktop\n"))
      try await world.daemon.line(
        containing: "changes of the default applications are recorded later: ")
      withExtendedLifetime(lock) {}
      lock = nil
      try await world.daemon.line(
        containing: "change 1: taker became the default for text/html, which was taken back")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
    }
  }

  @Test("What takes a default by way of a broken file is taken back") func broken() async throws {
    try await run(policy: "restore") { world, desktop in
      try desktop.write(desktop.mimeApps, Self.before + "not a key file\n")
      try await desktop.wait(for: world.folder + "/state/launch-services/guard/changes") {
        FileManager.default.fileExists(
          atPath: world.folder + "/state/launch-services/guard/changes/1.plist")
      }
      try desktop.write(
        desktop.mimeApps,
        Self.before.replacing("text/html=web.desktop\n", with: "text/html=taker.desktop\n"))
      try await world.daemon.line(
        containing: "change 2: taker became the default for text/html, which was taken back")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
    }
  }

  @Test("A file that is no key file is left alone") func invalid() async throws {
    try await run(policy: "restore") { world, desktop in
      let broken = "not a key file\n"
      try desktop.write(desktop.mimeApps, broken)
      // The next change is recorded after this one.
      try await desktop.wait(for: world.folder + "/state/launch-services/guard/changes") {
        desktop.contents(world.folder + "/state/launch-services/guard/changes/1.plist") != nil
          || FileManager.default.fileExists(
            atPath: world.folder + "/state/launch-services/guard/changes/1.plist")
      }
      #expect(desktop.contents(desktop.mimeApps) == broken)
      try await desktop.command("lsregister", "guard", "undo", "1")
      #expect(desktop.contents(desktop.mimeApps) == Self.before)
    }
  }
}
