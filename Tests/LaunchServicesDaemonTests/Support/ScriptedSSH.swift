import DBus
import DBusMainLoop
import Foundation
import Glibc
import Host
import LaunchRules
import ProcessSupervision
import Testing

@testable import LaunchServicesDaemon

/// A folder with a program `ssh` that the test has written, and what the daemon needs to run it.
@MainActor final class ScriptedSSH {
  let folder: String
  let log = CapturedLog("ssh-tests")
  let environment: HandlerEnvironment

  /// - Parameter script: for `sh`, in the folder; `$@` are the arguments of ssh.
  init(_ script: String) throws {
    folder = StateFolder.root + "/ssh-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder + "/bin", withIntermediateDirectories: true)
    environment = HandlerEnvironment(
      inheriting: ["PATH": folder + "/bin:/usr/bin:/bin", "HOME": folder])
    try "#!/bin/sh\ncd '\(folder)'\n\(script)\n".write(
      toFile: folder + "/bin/ssh", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder + "/bin/ssh")
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// A relay without a service manager.
  func relay(places: ConnectionPlaces = ConnectionPlaces()) -> SSHRelay {
    SSHRelay(
      ServiceManager(BusSession(nil), log.journal), environment, .spawn, log.journal,
      places: places)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  func read(_ name: String) -> [UInt8] {
    (FileManager.default.contents(atPath: "\(folder)/\(name)")).map(Array.init) ?? []
  }

  /// The lines that the program has appended to a file.
  func lines(of name: String) -> [String] {
    String(decoding: read(name), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Waits for a line of the log, which the daemon writes when it does something.
  func logs(_ part: String) async throws {
    while !(try await log.lines.next()).contains(part) {}
  }

  /// A pipe in the folder that the program reads lines from.
  func pipe(_ name: String) throws -> Gate {
    let path = "\(folder)/\(name)"
    try #require(unsafe mkfifo(path, 0o600) == 0)
    return Gate(try #require(FileHandle(forUpdatingAtPath: path)))
  }

  /// Lets programs go on that wait for a line.
  struct Gate {
    private let pipe: FileHandle
    fileprivate init(_ pipe: FileHandle) { self.pipe = pipe }
    func lets(_ count: Int = 1) throws {
      for _ in 0..<count { try pipe.write(contentsOf: Data("go\n".utf8)) }
    }
    /// Waits for a line that a program has written.
    func line() async throws -> String {
      try #require(try await Self.read(pipe))
    }
    @concurrent private nonisolated static func read(_ pipe: FileHandle) async throws -> String? {
      var text = ""
      while let byte = try pipe.read(upToCount: 1), !byte.isEmpty {
        if byte == Data("\n".utf8) { return text }
        text += String(decoding: byte, as: UTF8.self)
      }
      return nil
    }
  }
}
