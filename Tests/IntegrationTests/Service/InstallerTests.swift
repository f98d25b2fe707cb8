import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// `systemd/install`, and what the bus does with what it installs.
@MainActor @Suite("The installer", .timeLimit(.minutes(30)))
struct InstallerTests {
  private static let photos = "com.example.photos"
  static let systemd = URL(filePath: Example.folder).deletingLastPathComponent()
    .appending(path: "systemd").path
  private static let serviceFile =
    "share/dbus-1/services/org.launchservices.LaunchServices1.service"

  /// The folder of the testbed is the prefix, so that the bus of the testbed finds its `share`.
  private func run(
    _ script: String, _ arguments: [String] = [], in world: Testbed
  ) async throws -> ObservedProcess {
    let process = try world.startProcess(
      "\(Self.systemd)/\(script)", ["--prefix", world.folder] + arguments)
    #expect(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
    return process
  }

  private func open(_ url: String, in world: Testbed) async throws {
    let lsopen = try world.startProcess("\(world.folder)/bin/lsopen", [url])
    #expect(try await lsopen.hasEnded() == "exited with code 0", "\(lsopen.lines)")
  }

  private func daemonPID(_ world: Testbed) async throws -> Int32 {
    let owner = try await world.client.call(
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: "GetConnectionUnixProcessID",
        [.string(Contract.busName.text)]))
    return Int32(clamping: owner.first?.asUInt32 ?? 0)
  }

  @Test("lsopen starts the daemon through the bus, and again after it was killed")
  func activation() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      var script = HandlerScript.delegate()
      script.comesBack = .remembering
      let photos = try await world.install(Self.photos, schemes: ["photos"], script)
      _ = try await run("install", ["--programs", Example.products], in: world)

      try await open("photos:1", in: world)
      let first = try await daemonPID(world)
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(first)/exe")
          == "\(world.folder)/bin/launchservicesd")
      kill(first, SIGKILL)
      try await open("photos:2", in: world)

      #expect(try await daemonPID(world) != first)
      #expect(photos.pids.count == 1)
      #expect(
        photos.heard().filter { [.opened("photos:1"), .opened("photos:2")].contains($0) }.count
          == 2)
    }
  }

  @Test("What is installed is listed, replaced, and taken away again; what is not ours stays")
  func uninstalls() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let files = FileManager.default
      let prefix = world.folder
      func exists(_ path: String) -> Bool { files.fileExists(atPath: "\(prefix)/\(path)") }
      let list = "\(world.folder)/share/launch-services/installed-files"
      let system = "\(world.folder)/share/launch-services/System"
      try files.createDirectory(atPath: system, withIntermediateDirectories: true)
      let mine = system + "/mine.plist"
      try Data().write(to: URL(filePath: mine))

      let install = try await run("install", ["--programs", Example.products], in: world)
      #expect(install.lines.contains("  bin/lsopen"))
      let isExecutable = files.isExecutableFile(atPath: "\(world.folder)/bin/lsopen")
      #expect(exists(Self.serviceFile) && isExecutable)
      // An earlier version had one more.
      let old = try String(contentsOfFile: list, encoding: .utf8)
      try (old + "bin/old\n").write(toFile: list, atomically: true, encoding: .utf8)
      try Data().write(to: URL(filePath: "\(world.folder)/bin/old"))
      _ = try await run("install", ["--programs", Example.products], in: world)
      #expect(!exists("bin/old"))
      #expect(try String(contentsOfFile: list, encoding: .utf8) == old)

      _ = try await run("uninstall", in: world)
      for path in old.split(separator: "\n") { #expect(!exists(String(path))) }
      #expect(files.fileExists(atPath: mine))
      let again = try world.startProcess("\(Self.systemd)/uninstall", ["--prefix", world.folder])
      #expect(try await again.hasEnded() == "exited with code 4")
    }
  }

  @Test("Uninstalling ends the daemon that runs from there, and leaves no folder that was made")
  func leavesNothing() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let files = FileManager.default
      let photos = try await world.install(Self.photos, schemes: ["photos"])
      let prefix = world.folder
      func paths() throws -> [String] {
        try files.subpathsOfDirectory(atPath: prefix).filter {
          ["bin", "share", "lib", "libexec"].contains($0.prefix { $0 != "/" })
        }.sorted()
      }
      let before = try paths()
      for _ in 0..<2 {
        _ = try await run("install", ["--programs", Example.products], in: world)
      }
      #expect(try paths() != before)
      try await open("photos:1", in: world)
      let daemon = try await daemonPID(world)
      _ = try await run("uninstall", in: world)
      #expect(kill(daemon, 0) != 0)
      #expect(kill(try #require(photos.pids.first), 0) == 0)
      #expect(try paths() == before)
    }
  }

  @Test("With --destdir nothing names the folder, and a prefix that cannot be quoted is refused")
  func destdir() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let install = try world.startProcess(
        "\(Self.systemd)/install",
        [
          "--destdir=\(world.folder)/package", "--prefix=/opt/launch services", "--programs",
          Example.products,
        ])
      #expect(try await install.hasEnded() == "exited with code 0", "\(install.lines)")
      let service = try String(
        contentsOfFile: "\(world.folder)/package/opt/launch services/\(Self.serviceFile)",
        encoding: .utf8)
      #expect(
        service == """
          [D-BUS Service]
          Name=org.launchservices.LaunchServices1
          Exec="/opt/launch services/bin/launchservicesd"
          SystemdService=launchservicesd.service

          """)
      let refused = try world.startProcess("\(Self.systemd)/install", ["--prefix", "/a\"b"])
      #expect(try await refused.hasEnded() == "exited with code 4")
    }
  }
}
