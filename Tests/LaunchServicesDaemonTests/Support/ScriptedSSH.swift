import DBus
import DBusMainLoop
import Events
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

  /// A relay without a service manager. Its programs may be slow, as on a busy machine.
  func relay(
    places: ConnectionPlaces = ConnectionPlaces(patience: .seconds(3600))
  ) -> SSHRelay {
    SSHRelay(
      ServiceManager(BusSession(nil), log.journal), environment, .spawn, log.journal,
      places: places, greetingTime: .seconds(3600))
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

  /// A pipe in the folder that the program reads lines from, or writes lines to.
  func pipe(_ name: String) throws -> Gate {
    let path = "\(folder)/\(name)"
    try #require(unsafe mkfifo(path, 0o600) == 0)
    return try Gate(path)
  }

  /// Lets programs go on that wait for a line, and waits for lines of programs.
  @MainActor final class Gate {
    private let descriptor: Int32
    /// Only where a line is awaited: a watch takes the lines of the pipe, which may be for a program.
    private var watch: DescriptorWatch?
    private var text = ""
    private let lines = EventStream<String>()

    fileprivate init(_ path: String) throws {
      descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      try #require(descriptor >= 0)
    }

    isolated deinit { close(descriptor) }

    func lets(_ count: Int = 1) throws {
      let line = "go\n"
      for _ in 0..<count {
        try #require(unsafe Glibc.write(descriptor, line, line.utf8.count) == line.utf8.count)
      }
    }

    /// Waits for a line that a program has written.
    func line() async throws -> String {
      if watch == nil {
        watch = DescriptorWatch(closing: fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) { [weak self] in
          self?.read()
        }
      }
      return try await lines.next()
    }

    private func read() {
      var byte: UInt8 = 0
      while unsafe Glibc.read(descriptor, &byte, 1) == 1 {
        if byte == UInt8(ascii: "\n") {
          lines.add(text)
          text = ""
        } else {
          text.unicodeScalars.append(Unicode.Scalar(byte))
        }
      }
    }
  }
}
