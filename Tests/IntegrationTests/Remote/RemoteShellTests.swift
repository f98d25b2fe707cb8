import Foundation
import Host
import LaunchRules
import LaunchServicesTesting
import Testing

/// The texts for the shells of far machines, read by real shells.
@MainActor @Suite("Shells of far machines") struct RemoteShellTests {
  nonisolated private static let shells = ["dash", "bash", "zsh", "fish", "tcsh", "busybox"]
    .compactMap { name in
      ["/bin/", "/usr/bin/"].map { $0 + name }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

  /// - Parameter input: the text that the program reads from its standard input.
  private func run(
    _ program: String, _ arguments: [String], input: String = "",
    environment: [String: String] = [:]
  ) async throws -> (lines: [String], end: String) {
    let file = "/tmp/ls-\(UUID().uuidString.prefix(8)).input"
    try input.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let process = try ObservedProcess(
      Launch(
        executable: "/bin/sh",
        arguments: ["-c", #"file=$1; shift; exec "$@" <"$file" 2>/dev/null"#, "sh", file, program]
          + arguments,
        environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(environment) { $1 }))
    let end = try await process.hasEnded()
    return (process.lines, end)
  }

  @Test("Each login shell reads a quoted word as its text", arguments: shells)
  func quoting(shell: String) async throws {
    let word = ##"a 'b' "c" $HOME `id` \n \\ !! #x * ? [y] {1,2} ~ ; & | < > ( ) ^ = % é ☃"##
    let name = shell.hasSuffix("busybox") ? ["sh"] : []
    let (lines, end) = try await run(
      shell, name + ["-c", "/usr/bin/printf '%s\\n' " + RemoteShell.quoted(word)],
      environment: ["HOME": "/proc/nowhere"])
    #expect(lines == [word])
    #expect(end == "exited with code 0")
  }

  @Test("Each login shell sets the variables and runs the command", arguments: shells)
  func session(shell: String) async throws {
    let name = shell.hasSuffix("busybox") ? ["sh"] : []
    let place = RemoteShell.Place(socket: "/run/a 'b", browser: "/bin/lsopen")
    let line = RemoteShell.session(
      ["printenv", "LAUNCH_SERVICES_REMOTE", "BROWSER;", "exit", "7"], place)
    let (lines, end) = try await run(
      shell, name + ["-c", line],
      environment: ["HOME": "/proc/nowhere", "SHELL": name.isEmpty ? shell : "/bin/sh"])
    #expect(lines == ["/run/a 'b", "/bin/lsopen"])
    #expect(end == "exited with code 7")
  }

  @Test("The script finds a place, removes stale sockets, and keeps those with a listener")
  func preparation() async throws {
    let folder = "/tmp/ls-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let place = folder + "/.local/state/launch-services"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    func listener(_ path: String) -> Int32 {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      let bound = unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(bound == 0)
      #expect(listen(descriptor, 1) == 0)
      return descriptor
    }
    let live = listener(place + "/forwarded-live")
    close(listener(place + "/forwarded-stale"))
    let found = try await run(
      "/bin/sh", [], input: RemoteShell.preparation(marker: "m-1", ending: "new"),
      environment: ["HOME": folder])
    #expect(found.end == "exited with code 0")
    let made = try #require(RemoteShell.Place(lines: found.lines, marker: "m-1"))
    #expect(made.socket == place + "/forwarded-new")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: place).sorted()
    }
    #expect(try names() == ["forwarded", "forwarded-live"])
    func linked() throws -> String {
      try FileManager.default.destinationOfSymbolicLink(atPath: place + "/forwarded")
    }
    #expect(try linked() == made.socket)

    close(listener(made.socket))
    let removed = try await run(
      "/bin/sh", [], input: RemoteShell.removal(of: made), environment: ["HOME": folder])
    #expect(removed.end == "exited with code 0")
    #expect(try linked() == place + "/forwarded-live")
    close(live)
  }

  @Test(
    "The script makes no room where others may write, and keeps others out of a folder that they may read",
    arguments: ["mode 777", "mode 720", "link", "file", "mode 755"])
  func unsafeFolder(kind: String) async throws {
    let folder = "/tmp/ls-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let place = folder + "/launch-services"
    try FileManager.default.createDirectory(
      atPath: folder + "/other", withIntermediateDirectories: true)
    switch kind {
    case "link":
      try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "other")
    case "file": try Data().write(to: URL(filePath: place))
    default:
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      let mode = try #require(mode_t(kind.dropFirst(5), radix: 8))
      try #require(unsafe chmod(place, mode) == 0)
    }
    let found = try await run(
      "/bin/sh", [], input: RemoteShell.preparation(marker: "m-1", ending: "new"),
      environment: ["HOME": "/nonexistent", "XDG_RUNTIME_DIR": folder])
    let made = RemoteShell.Place(lines: found.lines, marker: "m-1")
    let refused = RemoteShell.unsafeFolder(lines: found.lines, marker: "m-1")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/other") == [])
    switch kind {
    case "mode 755":
      #expect(made?.socket == place + "/forwarded-new" && refused == nil)
      var status = stat()
      #expect(unsafe stat(place, &status) == 0 && status.st_mode & 0o777 == 0o700)
    case "file": #expect(made == nil && refused == nil && found.end == "exited with code 1")
    default: #expect(made == nil && refused == place, "\(found.lines)")
    }
  }
}
