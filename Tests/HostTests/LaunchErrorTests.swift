import Foundation
import TemporaryFolders
import Testing

@testable import Host

@Suite("A launch is refused") struct LaunchErrorTests {
  @Test("when there is no such executable") func missing() {
    let error = #expect(throws: SpawnError.self) {
      try spawn(Launch(executable: "/nowhere/at/all"))
    }
    #expect(error == .cannotRun(executable: "/nowhere/at/all", .noSuchFile))
    #expect(
      error?.description
        == "/nowhere/at/all: cannot run it: there is no such file, or it is a script whose first "
        + "line names a program that is missing")
  }

  @Test("when the file is not executable") func notExecutable() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("text", to: "file")
    let error = #expect(throws: SpawnError.self) { try spawn(Launch(executable: file)) }
    #expect(error?.errno == .accessDenied)
    #expect(error?.path == file)
    #expect(error?.description == "\(file): cannot run it: Permission denied (error 13)")
  }

  @Test("when the executable's path is relative") func relative() {
    #expect(throws: SpawnError.notAbsolute(path: "bin/sh")) {
      try spawn(Launch(executable: "bin/sh"))
    }
  }

  @Test("when the working directory is missing, which the error names") func noFolder() {
    var launch = shell("exit 0")
    launch.workingDirectory = "/nowhere"
    #expect(throws: SpawnError.cannotOpen(path: "/nowhere", .noSuchFile)) { try spawn(launch) }
  }

  @Test("when a stream cannot be opened, which the error names") func noStream() {
    var launch = shell("exit 0")
    launch.standardError = .file("/nowhere/log")
    #expect(throws: SpawnError.cannotOpen(path: "/nowhere/log", .noSuchFile)) {
      try spawn(launch)
    }
  }

  @Test("when its output is a FIFO nobody reads, at once") func unreadFIFO() throws {
    let folder = try TemporaryFolder()
    try #require(unsafe mkfifo(folder["fifo"], 0o600) == 0)
    var launch = shell("exit 0")
    launch.standardOutput = .file(folder["fifo"])
    #expect(throws: SpawnError.cannotOpen(path: folder["fifo"], Errno(ENXIO))) {
      try spawn(launch)
    }
  }

  @Test(
    "when a string contains a zero byte, which would cut it short",
    arguments: [
      (Launch(executable: "/bin/sh\0x"), "the path /bin/sh contains a zero byte"),
      (Launch(executable: "/bin/sh", arguments: ["a", "b\0"]), "argument 2 contains a zero byte"),
      (
        Launch(executable: "/bin/sh", environment: ["A": "\0"]),
        "the variable A contains a zero byte"
      ),
      (
        Launch(executable: "/bin/sh", environment: ["A=B": ""]),
        "the name of a variable is empty or contains an equals sign or a zero byte"
      ),
      (
        Launch(executable: "/bin/sh", workingDirectory: "/tmp\0"),
        "the path /tmp contains a zero byte"
      ),
    ])
  func zeroByte(_ launch: Launch, _ problem: String) {
    #expect(throws: SpawnError.unusable(executable: "/bin/sh", problem: problem)) {
      try spawn(launch)
    }
  }
}
