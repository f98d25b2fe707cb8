import Foundation
import LaunchServicesTesting
import Testing

/// A file system of a program that answers nothing, as one of a file server that is gone.
@MainActor struct SilentFileSystem {
  /// Why it cannot be mounted; nil when it can.
  nonisolated static let problem = findProblem()

  nonisolated private static func findProblem() -> String? {
    guard unsafe access("/dev/fuse", R_OK | W_OK) == 0 else {
      return "needs root and /dev/fuse (the kernel module fuse)"
    }
    let trial = Process()
    trial.executableURL = URL(filePath: "/usr/bin/unshare")
    trial.arguments = ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    trial.standardError = FileHandle.nullDevice
    guard (try? trial.run()) != nil else { return "needs the package util-linux" }
    trial.waitUntilExit()
    return trial.terminationStatus == 0 ? nil : "needs the right to mount file systems"
  }

  let folder: String
  private let process: ObservedProcess

  /// Mounts it over a folder, and ends it after `body`: a process that asks it cannot end before.
  static func run(
    over folder: String, _ world: Testbed,
    _ body: @MainActor (SilentFileSystem) async throws -> Void
  ) async throws {
    let process = try world.startProcess(
      "/usr/bin/python3", [Fixture.path("silent-file-system.py"), folder, "\(getpid())"])
    try await process.line(containing: "mounted")
    do {
      try await body(SilentFileSystem(folder: folder, process: process))
    } catch {
      _ = try await process.stop()
      throw error
    }
    _ = try await process.stop()
  }

  func isAsked() async throws { try await process.line(containing: "asked") }
}

@MainActor
@Suite(
  "Attack: a file system that does not answer",
  .enabled(if: SilentFileSystem.problem == nil, "\(SilentFileSystem.problem ?? "")"),
  .timeLimit(.minutes(30)))
struct AttackSilentFilesTests {
  /// An application whose property list and program are in one folder; registered by its path.
  private func addSilent(_ world: Testbed) async throws -> (folder: String, bundle: String) {
    let folder = world.folder + "/silent"
    let bundle = folder + "/Silent.app"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    let list: [String: Any] = [
      "CFBundleIdentifier": "com.example.silent", "ProgramArguments": [folder + "/program"],
      "CFBundleURLTypes": [["CFBundleURLSchemes": ["silent"]]],
    ]
    try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
      .write(to: URL(filePath: bundle + "/Info.plist"))
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: folder + "/program")
    try await world.client.register(bundle)
    return (folder, bundle)
  }

  /// The main thread of the daemon waited for the program, and the reader of property lists for ever.
  @Test("its application is not started, and all others are opened, come and go")
  func running() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.bank", schemes: ["bank"])
      let (folder, _) = try await addSilent(world)
      try await SilentFileSystem.run(over: folder, world) { files in
        let opener = try world.startProcess("lsopen", ["silent:1"])
        try await files.isAsked()
        #expect(try await world.client.open("bank:1").outcome == .deliveredCold)
        #expect(opener.isRunning)
        try await world.install("com.example.new", schemes: ["new"])
        #expect(try await world.client.open("new:1").outcome == .deliveredCold)
        let remove = try world.startProcess("lsregister", ["remove", folder + "/none"])
        #expect(try await remove.hasEnded() == "exited with code 4")
        try await world.client.reload()
        #expect(try await world.client.open("bank:2").outcome == .deliveredWarm)
        opener.signal(SIGTERM)
      }
    }
  }

  @Test("a desktop entry that leads there keeps nobody waiting")
  func desktopEntry() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("reader", schemes: ["feed"])
      try await world.install("com.example.bank", schemes: ["bank"])
      let folder = world.folder + "/silent"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try await SilentFileSystem.run(over: folder, world) { files in
        for number in 1...8 {
          try FileManager.default.createSymbolicLink(
            atPath: "\(desktop.entries)/linked\(number).desktop",
            withDestinationPath: "\(folder)/linked\(number).desktop")
        }
        try await files.isAsked()
        try await world.install("com.example.new", schemes: ["new"])
        #expect(try await world.client.open("bank:1").outcome == .deliveredCold)
        #expect(try await world.client.open("new:1").outcome == .deliveredCold)
        #expect(try await world.client.handlers("feed") == ["reader.desktop"])
        // Not by the tool of the desktop, which would wait for the entries.
        let entry = "[Desktop Entry]\nType=Application\nName=Chat\nExec=/bin/true %u\n"
        try desktop.write("\(desktop.entries)/chat.desktop", entry)
        let cache = "\(desktop.entries)/mimeinfo.cache"
        try desktop.write(
          cache, (desktop.contents(cache) ?? "") + "x-scheme-handler/chat=chat.desktop;\n")
        try await world.client.reload()
        #expect(try await world.client.handlers("chat") == ["chat.desktop"])
      }
    }
  }

  @Test("the daemon starts without what is there, and reads it after it answers")
  func start() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.bank", schemes: ["bank"])
      let (folder, bundle) = try await addSilent(world)
      _ = try await world.daemon.stop()
      try await SilentFileSystem.run(over: folder, world) { files in
        try await world.restartDaemon()
        try await world.daemon.line(containing: "does not answer")
        #expect(try await world.client.open("bank:1").outcome == .deliveredCold)
        let add = try world.startProcess("lsregister", ["list"])
        #expect(try await add.hasEnded() == "exited with code 0")
      }
      // The daemon hears of the answers a little later than this test.
      try await waitUntil("the property list can be read") {
        (try? await world.client.register(bundle)) != nil
      }
      let explain = try world.startProcess("lsopen", ["--explain", "silent:1"])
      try await explain.line(containing: "com.example.silent: the only claim")
    }
  }
}
