import Foundation
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

  private func run(
    _ program: String, _ arguments: [String], input: String? = nil,
    environment: [String: String] = [:]
  ) throws -> (lines: [String], status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(environment) { $1 }
    let (output, entry) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardInput = entry
    try process.run()
    try entry.fileHandleForWriting.write(contentsOf: Data((input ?? "").utf8))
    try entry.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text.split(separator: "\n").map(String.init), process.terminationStatus)
  }

  @Test("Each login shell reads a quoted word as its text", arguments: shells)
  func quoting(shell: String) throws {
    let word = ##"a 'b' "c" $HOME `id` \n \\ !! #x * ? [y] {1,2} ~ ; & | < > ( ) ^ = % é ☃"##
    let name = shell.hasSuffix("busybox") ? ["sh"] : []
    let (lines, status) = try run(
      shell, name + ["-c", "/usr/bin/printf '%s\\n' " + RemoteShell.quoted(word)],
      environment: ["HOME": "/proc/nowhere"])
    #expect(lines == [word])
    #expect(status == 0)
  }

  @Test("Each login shell sets the variables and runs the command", arguments: shells)
  func session(shell: String) throws {
    let name = shell.hasSuffix("busybox") ? ["sh"] : []
    let place = RemoteShell.Place(socket: "/run/a 'b", browser: "/bin/lsopen")
    let line = RemoteShell.session(
      ["printenv", "LAUNCH_SERVICES_REMOTE", "BROWSER;", "exit", "7"], place)
    let (lines, status) = try run(
      shell, name + ["-c", line],
      environment: ["HOME": "/proc/nowhere", "SHELL": name.isEmpty ? shell : "/bin/sh"])
    #expect(lines == ["/run/a 'b", "/bin/lsopen"])
    #expect(status == 7)
  }

  @Test("The script finds a place, removes stale sockets, and keeps those with a listener")
  func preparation() throws {
    let folder = "/tmp/ls-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let place = folder + "/.local/state/launch-services"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    func listener(_ path: String) -> Int32 {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
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
    let found = try run(
      "/bin/sh", [], input: RemoteShell.preparation(marker: "m-1", token: "new"),
      environment: ["HOME": folder])
    #expect(found.status == 0)
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
    let removed = try run(
      "/bin/sh", [], input: RemoteShell.removal(of: made), environment: ["HOME": folder])
    #expect(removed.status == 0)
    #expect(try linked() == place + "/forwarded-live")
    close(live)
  }
}
