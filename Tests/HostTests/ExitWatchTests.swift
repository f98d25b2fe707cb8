import Foundation
import TemporaryFolders
import Testing

@testable import Host

@MainActor @Suite("The end of a process is told", .timeLimit(.minutes(30)))
struct ExitWatchTests {
  @Test("when it came before the watch began") func earlier() async throws {
    let pid = try spawn(shell("exit 5"))
    // Waits for the end and leaves the child to be reaped.
    var details = unsafe siginfo_t()
    try #require(unsafe waitid(P_PID, id_t(pid), &details, WEXITED | WNOWAIT) == 0)
    let ends = EventStream<ProcessEnd>()
    let watch = try ExitWatch(pid: pid) { ends.add($0) }
    #expect(try await ends.next() == .exited(code: 5))
    withExtendedLifetime(watch) {}
  }

  @Test("of somebody else's child, without its status") func grandchild() async throws {
    let folder = try TemporaryFolder()
    var launch = shell("sleep 100 & echo $!; wait")
    let pipe = Pipe()
    launch.standardOutput = .descriptor(pipe.fileHandleForWriting.fileDescriptor)
    let parent = try ChildProcess(launch) { _ in }
    let line = pipe.fileHandleForReading.availableData
    let pid = try #require(Int32(String(decoding: line.dropLast(), as: UTF8.self)))
    let ends = EventStream<ProcessEnd>()
    let watch = try ExitWatch(pid: pid) { ends.add($0) }
    kill(pid, SIGKILL)
    #expect(try await ends.next() == .unknown)
    withExtendedLifetime((watch, parent, folder)) {}
  }

  @Test("of a process that is no more") func gone() async throws {
    let pid = try spawn(shell("exit 0"))
    waitpid(pid, nil, 0)
    let ends = EventStream<ProcessEnd>()
    let watch = try ExitWatch(pid: pid) { ends.add($0) }
    #expect(try await ends.next() == .unknown)
    withExtendedLifetime(watch) {}
  }

  @Test("not any more after the watch was cancelled") func cancelled() async throws {
    let ends = EventStream<String>()
    let child = try ChildProcess(shell("exec sleep 100")) { _ in ends.add("child") }
    let cancelled = try ExitWatch(pid: child.pid) { _ in ends.add("cancelled") }
    var dropped: ExitWatch? = try ExitWatch(pid: child.pid) { _ in ends.add("dropped") }
    cancelled.cancel()
    dropped = nil
    child.signal(SIGKILL)
    #expect(try await ends.next() == "child")
    let later = try ExitWatch(pid: child.pid) { _ in ends.add("later") }
    #expect(try await ends.next() == "later")
    withExtendedLifetime((cancelled, dropped, later)) {}
  }

  @Test("cannot be for a number no process has") func nonsense() {
    #expect(throws: Errno(EINVAL)) { try ExitWatch(pid: -1) { _ in } }
  }

  @Test(
    "in words",
    arguments: [
      (Int32(3 << 8), "exited with code 3"),
      (15, "was ended by SIGTERM (signal 15)"),
      (11 | 0x80, "was ended by SIGSEGV (signal 11)"),
      (40, "was ended by signal 40"),
    ] as [(Int32, String)])
  func words(_ status: Int32, _ text: String) {
    #expect(ProcessEnd(waitStatus: status).description == text)
  }
}
