import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// A service manager that answers late when the daemon starts was never asked for its control group again: no
/// caller was known by its unit any more.
@Suite(
  "A slow service manager", .timeLimit(.minutes(30)),
  .enabled(
    if: Testbed.userManagerProblem == nil,
    "needs a systemd --user: \(Testbed.userManagerProblem ?? "")"))
@MainActor struct SlowServiceManagerTests {
  private static let mail = "com.example.mail"

  /// A process that is known by its unit alone, and asks when it is let go.
  private struct Asker {
    let process: ObservedProcess
    private let fifo: String

    @MainActor init(in world: Testbed) async throws {
      fifo = world.folder + "/go"
      try #require(unsafe mkfifo(fifo, 0o600) == 0)
      let lsopen = try #require(Example.program("lsopen"))
      process = try world.startProcess(
        "/usr/bin/systemd-run",
        [
          "--user", "--scope", "--quiet", "--unit=app-gnome-\(mail)-1.scope", "sh", "-c",
          "echo ready; read -r line <\"$0\"; exec \"$1\" --explain https://a.example/ 2>&1", fifo,
          lsopen,
        ])
      try await process.line(containing: "ready")
    }

    func asks() throws {
      try "go\n".write(toFile: fifo, atomically: false, encoding: .utf8)
    }
  }

  /// - Parameter body: called with a manager that stands still and a daemon that was started then.
  private func run(_ body: @MainActor (Testbed, Asker, ObservedProcess) async throws -> Void)
    async throws
  {
    try await Testbed.run(startsDaemon: false, withUserManager: true) { world in
      try await world.startDaemon()
      try await world.install(Self.mail, schemes: ["mail"])
      let asker = try await Asker(in: world)
      try await world.stopDaemon()
      let manager = try #require(world.userManagerProcess)
      manager.signal(SIGSTOP)
      defer { manager.signal(SIGCONT) }
      try await world.startDaemon()
      try await body(world, asker, manager)
    }
  }

  @Test("says late what its control group is: then callers are known by their units")
  func late() async throws {
    try await run { _, asker, manager in
      try asker.asks()
      manager.signal(SIGCONT)
      try await asker.process.line(containing: Self.mail)
    }
  }

  @Test("never says it: who may belong to a unit is refused after a while")
  func never() async throws {
    try await run { _, asker, _ in
      try asker.asks()
      try await asker.process.line(containing: "the service manager did not return")
    }
  }
}
