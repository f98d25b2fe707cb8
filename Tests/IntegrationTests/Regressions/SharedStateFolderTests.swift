import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Daemons on two buses used to overwrite each other's state, and gave numbers out twice.
@MainActor @Suite("A daemon on another bus", .timeLimit(.minutes(30)))
struct SharedStateFolderTests {
  private func anotherBus(in world: Testbed) async throws -> ObservedProcess {
    let bus = try world.startProcess(
      "/usr/bin/dbus-daemon",
      [
        "--config-file=\(world.folder)/bus.conf", "--address=unix:path=\(world.folder)/other",
        "--nofork", "--nopidfile", "--print-address=1",
      ])
    try await bus.line(containing: "unix:path")
    return bus
  }

  private func another(in world: Testbed) throws -> ObservedProcess {
    try world.startProcess(
      "launchservicesd",
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(world.folder)/other"])
  }

  @Test("does not share the state folder: it says so and ends") func refused() async throws {
    try await Testbed.run { world in
      let bus = try await anotherBus(in: world)
      let other = try another(in: world)
      #expect(try await other.hasEnded() == "exited with code 1")
      let folder = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      #expect(
        other.lines.dropFirst() == [
          "launchservicesd: error: another launchservicesd, on another session bus or on none, uses"
            + " the state folder \(folder); end that one, or set XDG_STATE_HOME to another folder for"
            + " one of them pid=\(world.daemon.pid)"
        ])
      _ = try await bus.stop()
    }
  }

  @Test("waits for one that is ending") func waits() async throws {
    try await Testbed.run { world in
      let bus = try await anotherBus(in: world)
      // Stopped, so that it has not ended when the other one asks.
      world.daemon.signal(SIGSTOP)
      let other = try another(in: world)
      let line = try await other.line(containing: "for another launchservicesd to end")
      #expect(line.hasSuffix(" pid=\(world.daemon.pid)"))
      try await world.killDaemon()
      try await other.line(containing: "ready")
      #expect(try await other.stop() == "exited with code 0")
      _ = try await bus.stop()
    }
  }
}
