import Foundation
import Glibc
import TemporaryFolders
import Testing

@testable import Host

@MainActor @Suite("The details of a process", .timeLimit(.minutes(30))) struct ProcessDetailsTests {
  @Test("of this one agree with what it knows itself") func own() throws {
    let details = try #require(ProcessDetails(of: getpid()))
    #expect(details.parent == getppid())
    #expect(details.processGroup == getpgrp())
    #expect(details.session == getsid(0))
    #expect(details.user == geteuid())
    #expect(details.executable?.path == "/proc/self/exe".resolved)
    #expect(details.executable?.isDeleted == false)
  }

  @Test("hold the variables it was started with") func environment() throws {
    let pid = try spawn(
      Launch(
        executable: "/bin/sleep", arguments: ["60"],
        environment: ["A": "1=2", "EMPTY": "", "PATH": "/bin"]))
    defer {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    let details = try #require(ProcessDetails(of: pid))
    // Between its start and the program there is nothing to read.
    while details.environmentAtStart.isEmpty { usleep(1000) }
    #expect(details.environmentAtStart == ["A": "1=2", "EMPTY": "", "PATH": "/bin"])
  }

  @Test(
    "give variables of an environment, each as getenv(3) finds it, from whatever bytes",
    arguments: [
      ("A=1\0B=2\0", ["A": "1", "B": "2"]), ("A=1", ["A": "1"]), ("", [:]), ("A=", ["A": ""]),
      ("XA=1\0AB=2\0", [:]), ("X=A=1\0", [:]), ("\0\0A=1\0\0", ["A": "1"]),
      ("A=1\0A=2\0", ["A": "1"]), ("A=B=1\0", ["A": "B=1"]), ("A\0=1\0", [:]),
      (String(repeating: "\0", count: 1 << 20), [:]), ("A=\u{338}é\0", ["A": "\u{338}é"]),
    ])
  func variables(_ data: String, _ expected: [String: String]) {
    #expect(ProcessDetails.variables(named: ["A", "B"], in: Array(data.utf8)) == expected)
  }

  @Test("do not exist when there is no process") func gone() throws {
    let pid = try spawn(shell("exit 0"))
    waitpid(pid, nil, 0)
    #expect(ProcessDetails(of: pid) == nil)
    #expect(ProcessDetails(of: 0) == nil)
    #expect(ProcessDetails(of: -1) == nil)
  }

  @Test("are read although its name holds blanks and parentheses") func oddName() throws {
    let line = "77 (a) S 1 2 (b) S 7 70 71 0 -1 4 5 6 7 8 9 10 11 12 13 14 15 0 4711 17\n"
    let fields = try #require(StatFields(Array(line.utf8)))
    #expect(fields.parent == 7)
    #expect(fields.processGroup == 70)
    #expect(fields.session == 71)
    #expect(fields.startTime == 4711)
  }

  @Test("are not made up from a line that is cut short") func shortLine() {
    #expect(StatFields(Array("77 (a) S 7 70 71".utf8)) == nil)
    #expect(StatFields(Array("77".utf8)) == nil)
    #expect(StatFields([]) == nil)
  }

  @Test("name the executable under its first path, but know it by any name") func identity()
    async throws
  {
    let folder = try TemporaryFolder()
    let sleep = try #require("/bin/sleep".resolved)
    try folder.copyElsewhere(sleep, to: "real name)")
    try FileManager.default.createSymbolicLink(
      atPath: folder["link"], withDestinationPath: folder["real name)"])
    let child = try ChildProcess(
      Launch(executable: folder["link"], arguments: ["100"])
    ) { _ in }
    defer { child.signal(SIGKILL) }
    let executable = try #require(ProcessDetails(of: child.pid)?.executable)
    #expect(executable.path == folder["real name)"])
    #expect(executable.identity == FileIdentity(path: folder["link"]))
    #expect(executable.identity != FileIdentity(path: sleep))
  }

  @Test("tell that the executable was deleted, and where it was") func deleted() throws {
    let folder = try TemporaryFolder()
    let program = folder["program"]
    try folder.copyElsewhere("/bin/sleep", to: "program")
    let child = try ChildProcess(Launch(executable: program, arguments: ["100"])) { _ in }
    defer { child.signal(SIGKILL) }
    let identity = FileIdentity(path: program)
    try FileManager.default.removeItem(atPath: program)
    let executable = try #require(ProcessDetails(of: child.pid)?.executable)
    #expect(executable == .init(path: program, identity: try #require(identity), isDeleted: true))
  }

  @Test("are not fooled by an executable that is called deleted") func calledDeleted() throws {
    let folder = try TemporaryFolder()
    let program = folder["program (deleted)"]
    try folder.copyElsewhere("/bin/sleep", to: "program (deleted)")
    let child = try ChildProcess(Launch(executable: program, arguments: ["100"])) { _ in }
    defer { child.signal(SIGKILL) }
    let executable = try #require(ProcessDetails(of: child.pid)?.executable)
    #expect(executable.path == program)
    #expect(!executable.isDeleted)
  }

  @Test("know the executable by its file, also when its path is no text") func oddPath() throws {
    let folder = try TemporaryFolder()
    try folder.copyElsewhere("/bin/sleep", to: "program")
    try runNow(
      shell(#"ln "$1/program" "$1/$(printf 'odd\377')""#, folder.path))
    let pid = try spawn(shell(#"exec "$1/$(printf 'odd\377')" 100"#, folder.path))
    defer {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    let identity = try #require(FileIdentity(path: folder["program"]))
    // Until then it is the shell.
    while let details = ProcessDetails(of: pid), details.executable?.path.contains("odd") == false {
      usleep(1000)
    }
    #expect(ProcessDetails(of: pid)?.executable?.identity == identity)
  }

  @Test("hold the path of its control group, of which only version 2 counts") func controlGroup() {
    let lines = "12:cpu:/old\n0::/user.slice/app-a:b.scope\n"
    #expect(ProcessDetails.controlGroup(Array(lines.utf8)) == "/user.slice/app-a:b.scope")
    #expect(ProcessDetails.controlGroup(Array("1:cpu:/old\n".utf8)) == nil)
  }
}
