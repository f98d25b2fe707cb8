import Glibc
import Testing

@testable import Host

@MainActor @Suite("Whether a process has an open socket", .timeLimit(.minutes(30)))
struct OpenSocketTests {
  /// What a process has open besides its standard streams.
  struct Files: Sendable, CustomTestStringConvertible {
    var before: Int
    var hasSocket: Bool
    var expected: Bool
    var testDescription: String {
      "\(before) files\(hasSocket ? ", then a socket" : "")"
    }
  }

  @Test(
    "is known, unless very many files are before the socket",
    arguments: [
      Files(before: 0, hasSocket: false, expected: false),
      Files(before: 0, hasSocket: true, expected: true),
      Files(before: 500, hasSocket: false, expected: false),
      Files(before: 500, hasSocket: true, expected: true),
      Files(before: 2000, hasSocket: true, expected: false),
    ])
  func known(_ files: Files) throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let script = """
      import os, resource, socket, time
      resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
      held = [os.open("/dev/null", os.O_RDONLY) for _ in range(\(files.before))]
      if \(files.hasSocket ? 1 : 0): held.append(socket.socket())
      os.write(1, b"x")
      time.sleep(600)
      """
    let pid = try spawn(
      Launch(
        executable: "/usr/bin/python3", arguments: ["-c", script],
        standardOutput: .descriptor(ends[1])))
    defer {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    close(ends[1])
    var byte: UInt8 = 0
    #expect(unsafe read(ends[0], &byte, 1) == 1)
    close(ends[0])
    let details = try #require(ProcessDetails(of: pid))
    #expect(details.hasSocket == files.expected)
  }

  @Test("is unknown when the process has ended") func ended() throws {
    let pid = try spawn(Launch(executable: "/bin/true"))
    let details = ProcessDetails(of: pid)
    waitpid(pid, nil, 0)
    #expect(details?.hasSocket == nil)
  }
}
