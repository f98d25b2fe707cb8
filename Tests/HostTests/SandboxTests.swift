import CHost
import Glibc
import Testing

@testable import Host

@MainActor @Suite("What the kernel says of a sandbox and of a pidfd")
struct SandboxTests {
  @Test("A process with the root of the machine is in no sandbox") func noSandbox() throws {
    #expect(try #require(ProcessDetails(of: getpid())).flatpakFile == nil)
  }

  @Test("A pidfd stands for its process, and for none when that is gone") func pidfd() throws {
    let child = try spawn(Launch(executable: "/bin/sleep", arguments: ["1000"]))
    let descriptor = chost_pidfd_open(child)
    defer { close(descriptor) }
    try #require(descriptor >= 0)
    #expect(processNumber(of: descriptor) == child)
    kill(child, SIGKILL)
    waitpid(child, nil, 0)
    #expect(processNumber(of: descriptor) == nil)
    #expect(processNumber(of: 0) == nil)
  }
}
