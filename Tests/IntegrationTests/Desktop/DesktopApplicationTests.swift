import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

@MainActor
@Suite(
  "Desktop entries are applications",
  .enabled(
    if: Desktop.isInstalled("update-desktop-database"), "needs the package desktop-file-utils"),
  .timeLimit(.minutes(30)))
struct DesktopApplicationTests {
  @Test("they come after property lists, answer canOpen, are named, and follow what is installed")
  func follows() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"], queries: ["foo", "bar"])
      try await desktop.install("theirs", schemes: ["photos", "foo", "about"])
      try await world.client.reload()
      #expect(
        try await desktop.command("lsregister", "handlers", "photos") == [
          "com.example.photos  all other claims belong to desktop entries",
          "theirs.desktop      a desktop entry, which ranks after all property lists",
        ])
      #expect(try await world.client.canOpen("foo:", as: "com.example.photos"))
      #expect(try await !world.client.canOpen("bar:", as: "com.example.photos"))
      #expect(try await world.client.explain("foo:1").handler == "theirs.desktop")
      let receipt = try await world.client.open("foo:1")
      #expect(receipt.handler == "theirs.desktop" && receipt.outcome == .handedOverCold)
      #expect(try await desktop.recorded().arguments == ["theirs", "foo:1"])
      #expect(try await world.client.handlers("about") == [])

      // Nobody asks the daemon to read.
      try await desktop.install("more", schemes: ["bar"])
      try await changes(world) { try await world.client.handlers("bar") == ["more.desktop"] }
      #expect(try await world.client.canOpen("bar:", as: "com.example.photos"))
      try FileManager.default.removeItem(atPath: "\(desktop.entries)/theirs.desktop")
      try await desktop.command("update-desktop-database", desktop.entries)
      try await changes(world) { try await world.client.handlers("foo") == [] }
      // Nothing of the user's files was written.
      #expect(desktop.exported == [] && desktop.contents(desktop.mimeApps) == nil)
    }
  }

  @Test(
    "one whose program is outside of PATH follows the program, as GIO sees it, and is found by its name"
  )
  func followsPrograms() async throws {
    try await Desktop.run { world, desktop in
      // The folder does not exist yet.
      let program = "\(world.folder)/opt/app/myapp"
      @MainActor func put() throws {
        try desktop.write(program, "#!/bin/sh\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      }
      try await desktop.install(
        "theirs", schemes: ["foo"], exec: "\(program) %u", others: "TryExec=\(program)")
      try await world.client.reload()
      #expect(try await world.client.handlers("foo") == [])
      try put()
      try await changes(world) { try await world.client.handlers("foo") == ["theirs.desktop"] }
      try await desktop.command("lsopen", "-a", "MyApp", "foo:1")
      try FileManager.default.removeItem(atPath: program)
      try await changes(world) { try await world.client.handlers("foo") == [] }
      try put()
      try await changes(world) { try await world.client.handlers("foo") == ["theirs.desktop"] }
      try FileManager.default.removeItem(atPath: "\(world.folder)/opt")
      try await changes(world) { try await world.client.handlers("foo") == [] }
    }
  }

  @Test("the system applications that pass URLs on to them are no handlers for people")
  func standIns() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installBridge(
        "org.launchservices.system.Safari", schemes: ["http", "https"])
      try await desktop.installBridge("org.launchservices.system.Mail", schemes: ["mailto"])
      for name in ["one", "two"] { try await desktop.install(name, schemes: ["https"]) }
      try desktop.setDefault("https", "two")
      try await world.client.reload()
      #expect(
        try await desktop.command("lsregister", "handlers", "https") == [
          "two.desktop  the default of the desktop",
          "one.desktop  the desktop prefers another application",
        ])
      let steps = try await world.client.explain("https://example.com/").steps
      #expect(
        steps.filter { $0.step == "candidate" }.map(\.sentence) == [
          "two.desktop: the default of the desktop",
          "one.desktop: the desktop prefers another application",
        ])
      #expect(try await world.client.handlers("mailto") == [])
      try await desktop.command(
        "lsregister", "handlers", "mailto", complaint: "no application handles the scheme 'mailto'")
      try await desktop.command("lsregister", "default", "https", "one.desktop")
      #expect(
        try await desktop.command("lsregister", "handlers", "https").first
          == "one.desktop  the user's choice")
    }
  }

  @Test(
    "an entry whose TryExec is missing leaves its scheme to the next entry with its identifier, as in GIO",
    .enabled(if: Desktop.isInstalled("gio"), "needs the package libglib2.0-bin"))
  func shadowed() async throws {
    try await Desktop.run { world, desktop in
      let next = "\(world.folder)/share/applications"
      try desktop.write(
        "\(next)/foo.desktop",
        """
        [Desktop Entry]
        Type=Application
        Name=Next
        Exec=/usr/bin/python3 \(desktop.program) next %u
        MimeType=text/x-next;

        """)
      try await desktop.command("update-desktop-database", next)
      try await desktop.install("foo", schemes: ["foo"], others: "TryExec=/nonexistent")
      try await world.client.reload()
      #expect(try await world.client.handlers("foo") == ["foo.desktop"])
      let chosen = try await desktop.command("gio", "mime", "x-scheme-handler/foo")
      #expect(chosen.first?.hasSuffix("foo.desktop") == true)
      #expect(try await world.client.open("foo:1").handler == "foo.desktop")
      #expect(try await desktop.recorded().arguments == ["next", "foo:1"])
    }
  }

  /// Waits until changes of the registry have made something true.
  private func changes(
    _ world: Testbed, until isTrue: @MainActor () async throws -> Bool
  ) async throws {
    while try await !isTrue() { try await world.client.registryChange() }
  }

  @Test(
    "the default of the desktop decides among them, and its change counts at once; then the user's choice"
  )
  func defaults() async throws {
    try await Desktop.run { world, desktop in
      for name in ["one", "two", "three"] {
        try await desktop.install(name, schemes: ["foo"], others: "Icon=\(name)-icon")
      }
      try desktop.setDefault("foo", "two")
      try await world.client.reload()
      #expect(try await world.client.handlers("foo").first == "two.desktop")
      try desktop.write(
        desktop.mimeApps, "[Default Applications]\nx-scheme-handler/foo=three.desktop\n")
      try await changes(world) { try await world.client.defaultHandler("foo") == "three.desktop" }
      #expect(try await world.client.open("foo:1").handler == "three.desktop")
      #expect(try await desktop.recorded().arguments == ["three", "foo:1"])

      try await desktop.command("lsregister", "default", "foo", "one.desktop")
      #expect(try await world.client.open("foo:2").handler == "one.desktop")
      #expect(try await desktop.recorded().arguments == ["one", "foo:2"])
      // The choice is of Launch Services, not of the desktop, and outlives the daemon.
      #expect(desktop.contents(desktop.mimeApps)?.contains("one.desktop") == false)
      try await world.stopDaemon()
      try await world.startDaemon(environment: ["PATH": Desktop.path])
      #expect(try await world.client.explain("foo:3").handler == "one.desktop")
    }
  }

  @Test("-b and -a choose one, by identifier and by name, for URLs and for files") func designated()
    async throws
  {
    try await Desktop.run { world, desktop in
      try await desktop.install("default", schemes: ["foo"])
      try await desktop.install(
        "my editor_2", schemes: ["foo"], fieldCode: "%U",
        exec:
          "/usr/bin/python3 \(desktop.program) editor %U",
        others: "Name[C]=x\nX-GNOME-FullName=Text Editor")
      try desktop.setDefault("foo", "default")
      try await world.client.reload()
      try await desktop.command("lsopen", "-b", "my editor_2.desktop", "foo:1")
      #expect(try await desktop.recorded().arguments == ["editor", "foo:1"])
      try await desktop.command("lsopen", "-a", "Text Editor", "foo:2")
      #expect(try await desktop.recorded().arguments == ["editor", "foo:2"])
      let note = try world.write(document: "notes.txt")
      let path = try #require(URL(string: note)?.path)
      try await desktop.command("lsopen", "-a", "text editor", path)
      #expect(try await desktop.recorded().arguments == ["editor", path])
    }
  }

  @Test(
    "an entry that is not used: show and -b say that the file exists, why it is not used, and what to do",
    arguments: [
      (
        "TryExec=/nonexistent/tool",
        "the program '/nonexistent/tool' of its key TryExec is not installed"
      ),
      ("Hidden=true", "it contains Hidden=true"),
      ("Hidden=1", "it contains Hidden=true"),
      ("Exec=lsopen %u", "its key Exec starts lsopen"),
      ("Exec=/nowhere/lsopen %u", "its key Exec starts lsopen"),
      ("Type=Link", "it does not contain Type=Application"),
      (
        "Exec=nonexistent-tool %u",
        "the program 'nonexistent-tool' of its key Exec is not installed"
      ),
    ])
  func unused(line: String, reason: String) async throws {
    try await Desktop.run { world, desktop in
      // GLib uses the last line of a key.
      try await desktop.install("chat", schemes: ["chat"], others: line)
      let sentence =
        "no application chat.desktop is registered; the desktop entry \(desktop.entries)/chat.desktop exists, but is"
        + " not used: \(reason)"
      try await desktop.command("lsregister", "show", "chat.desktop", complaint: sentence)
      let opening = try world.startProcess(
        "\(Desktop.products)/lsopen", ["-b", "chat.desktop", "chat:1"])
      try await opening.line(containing: "exists, but is not used: \(reason)")
      try await desktop.install("chat", schemes: ["chat"], others: "NoDisplay=true")
      try await world.client.reload()
      #expect(
        try await desktop.command("lsregister", "show", "chat.desktop").joined().contains("chat"))
    }
  }

  @Test("an entry that cannot be read does not keep the others out, and the log names it")
  func unreadable() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("right", schemes: ["foo"])
      let fifo = "\(desktop.entries)/wrong.desktop"
      #expect(unsafe mkfifo(fifo, 0o600) == 0)
      try await world.client.reload()
      #expect(try await world.client.handlers("foo") == ["right.desktop"])
      try await world.daemon.line(containing: "\(fifo) is ignored: it is no regular file")
    }
  }

  @Test("a list that is a symbolic link counts as it is now") func linkedList() async throws {
    try await Desktop.run { world, desktop in
      for name in ["one", "two"] { try await desktop.install(name, schemes: ["foo"]) }
      let list = "\(world.folder)/dotfiles/mimeapps.list"
      @MainActor func choose(_ name: String) throws {
        try desktop.write(list, "[Default Applications]\nx-scheme-handler/foo=\(name).desktop\n")
      }
      try choose("two")
      try FileManager.default.createSymbolicLink(
        atPath: desktop.mimeApps, withDestinationPath: list)
      try await world.client.reload()
      #expect(try await world.client.handlers("foo").first == "two.desktop")
      try choose("one")
      try await changes(world) { try await world.client.handlers("foo").first == "one.desktop" }
      #expect(try await world.client.open("foo:1").handler == "one.desktop")
    }
  }

  @Test("an entry that drops URLs is an error that says so") func drops() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("useless", schemes: ["lost"], fieldCode: "")
      try await world.client.reload()
      await #expect {
        try await world.client.open("lost:1")
      } throws: { error in
        (error as? Refusal)?.text.contains("useless.desktop cannot be given a URL") == true
      }
      let entry = try #require(try await world.history().first)
      #expect(entry["handler"] == .string("useless.desktop"))
      #expect(entry["fate"] == .string("LaunchFailed"))
      let explained = try await world.client.explain("lost:1")
      #expect(!explained.wouldOpen && !explained.canOpen)
      #expect(try await !world.client.canOpen("lost:1"))
      #expect(desktop.recordings == 0)
    }
  }

  @Test("an entry that leads back through env(1) is no application") func leadsBack() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("back", schemes: ["back"], exec: "/usr/bin/env A=1 lsopen %u")
      try await desktop.install("right", schemes: ["right"])
      try await world.client.reload()
      #expect(try await world.client.handlers("right") == ["right.desktop"])
      #expect(try await world.client.handlers("back") == [])
    }
  }

  @Test("without a URL the program of Exec is started, also by a bridge that runs already")
  func withoutURL() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("right", schemes: ["foo"])
      try await desktop.install("broken", schemes: ["foo"], exec: "/usr/bin/false %u")
      try await world.client.reload()
      for _ in 1...2 {
        try await desktop.command("lsopen", "-b", "right.desktop")
        #expect(try await desktop.recorded().arguments == ["right"])
      }
      try await desktop.command("lsopen", "-b", "right.desktop", "foo:1")
      #expect(try await desktop.recorded().arguments == ["right", "foo:1"])
      #expect(desktop.recordings == 3)
      try await desktop.command("lsopen", "-b", "broken.desktop", complaint: "broken.desktop")
    }
  }

  @Test("each program has the variables of its own opener; options that would be lost are refused")
  func options() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("right", schemes: ["foo"])
      try await world.client.reload()
      for (number, display, chosen) in [(1, ":5", "one"), (2, ":6", "two")] {
        try await desktop.command(
          "lsopen", "--env", "CHOSEN=\(chosen)", "foo:\(number)", environment: ["DISPLAY": display])
        #expect(
          try await desktop.recorded().variables == ["DISPLAY": display, "CHOSEN": chosen])
      }
      try await desktop.command("lsopen", "foo:3", environment: ["DISPLAY": ""])
      #expect(try await desktop.recorded().variables == ["DISPLAY": "-", "CHOSEN": "-"])
      try await desktop.command(
        "lsopen", "foo:4", "--args", "more", complaint: "has no place for arguments of an opener")
      try await desktop.command(
        "lsopen", "-o", "\(world.folder)/out", "foo:5",
        complaint: "has no place for standard streams of an opener")
      try await desktop.command(
        "lsopen", "-W", "foo:6", complaint: "so the end of the application is not known")
      try await desktop.command(
        "lsopen", "-n", "foo:7", complaint: "its program decides whether a second process runs")
      #expect(desktop.recordings == 3)
    }
  }

  @Test("%F gives several files to one process; with %f the rest is not opened after a failure")
  func severalFiles() async throws {
    try await Desktop.run { world, desktop in
      let types = "MimeType=text/plain;"
      for (name, code) in [("one", "%F"), ("each", "%f")] {
        try await desktop.install(
          name, schemes: [], exec: "/usr/bin/python3 \(desktop.program) \(name) \(code)",
          others: types)
      }
      try await desktop.install(
        "failing", schemes: [], exec: "/usr/bin/python3 \(world.folder)/fail.py %f", others: types)
      try desktop.write(
        "\(world.folder)/fail.py",
        "import sys; print('ran', sys.argv[1], flush=True); sys.exit('bad' in sys.argv[1])")
      try await world.client.reload()
      let files = try ["good.txt", "bad.txt", "last.txt"].map {
        try #require(URL(string: world.write(document: $0))?.path)
      }
      try await desktop.command("lsopen", "-b", "one.desktop", files[0], files[1])
      #expect(try await desktop.recorded().arguments == ["one", files[0], files[1]])
      try await desktop.command("lsopen", "-b", "each.desktop", files[0], files[1])
      #expect(try await desktop.recorded().arguments == ["each", files[0]])
      #expect(try await desktop.recorded().arguments == ["each", files[1]])
      try await desktop.command(
        "lsopen", "-b", "failing.desktop", files[0], files[1], files[2],
        complaint: "of 3 documents, 1 were opened before")
      #expect(world.daemon.lines.count { $0.contains("ran /") } == 2)
    }
  }

  @Test("an application with a property list and an exported entry is one application")
  func oneApplication() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await desktop.command("lsregister", "desktop", "enable", "photos")
      try await world.client.reload()
      #expect(desktop.exported.count == 1)
      #expect(try await world.client.handlers("photos") == ["com.example.photos"])
    }
  }

  @Test("the list of the last time counts before GIO has read anything") func cache() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("theirs", schemes: ["foo"])
      try await world.client.reload()
      try await world.stopDaemon()
      // The program cannot run, so that only the cache is there; without entries in the folders it would be asked.
      let broken = "\(world.folder)/broken"
      try desktop.write("\(broken)/launchservices-desktop", "#!/bin/sh\nexit 1\n")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(broken)/launchservices-desktop")
      try await world.startDaemon(environment: ["PATH": "\(broken):\(Desktop.path)"])
      #expect(try await world.client.handlers("foo") == ["theirs.desktop"])
    }
  }

  @Test(
    "a program is started on the display of its opener when the daemon knows none",
    arguments: ["", ":55"])
  func display(ofDaemon own: String) async throws {
    try await Desktop.run(environment: ["DISPLAY": own, "WAYLAND_DISPLAY": ""]) { world, desktop in
      let script = world.folder + "/display.py"
      try desktop.write(
        script,
        """
        import os, sys
        names = "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"
        print("displayed", sys.argv[1], [os.environ.get(n) for n in names], file=sys.stderr, flush=True)
        """)
      try await desktop.install(
        "window", schemes: ["window"], exec: "/usr/bin/python3 \(script) %u")
      try await world.client.reload()
      try await desktop.command(
        "lsopen", "window:1",
        environment: ["DISPLAY": ":77", "WAYLAND_DISPLAY": "", "XAUTHORITY": "/cookie"])
      let line = try await world.daemon.line(containing: "displayed window:1")
      #expect(line.hasSuffix(own.isEmpty ? "[':77', '', '/cookie']" : "[':55', '', None]"))
    }
  }
}
