import BusContract
import Foundation
import LaunchServicesTesting
import Testing

/// The direct socket of the user, brought elsewhere in place of the socket of a remote.
@MainActor @Suite("The direct socket on another machine", .timeLimit(.minutes(30)))
struct ForwardedDirectSocketTests {
  private func directSocket(_ world: Testbed) throws -> String {
    let environment = world.environment
    return try #require(DirectSocket.path { environment[$0] })
  }

  @Test(
    "lsopen there says that the socket is the wrong one, and which command makes the right one",
    .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"))
  func forwarded() async throws {
    try await FarMachine.run { world, far in
      try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.newDirectClient()
      let socket = try directSocket(world)
      let there = far.runtimeFolder + "/wrong"
      let session = try far.start(
        far.localPrograms + "/ssh",
        ["-R", "\(there):\(socket)", "far", "echo begun; exec sleep 10000"])
      try await session.line(containing: "begun")
      let open = try far.startThere(
        ["LAUNCH_SERVICES_REMOTE=\(there)", "lsopen", "https://example.com/"])
      #expect(try await open.hasEnded() == "exited with code 3")
      #expect(
        open.lines.first?.contains("is no socket of a remote") == true
          && open.lines.first?.contains("lsregister remote add NAME") == true, "\(open.lines)")
      session.signal(SIGTERM)
      _ = try await session.hasEnded()
      _ = try await world.newDirectClient()
      #expect(
        !world.daemon.lines.contains { $0.contains("it sent a message larger") },
        "\(world.daemon.lines)")
    }
  }

  @Test(
    "a file that socat passes on is refused with the command that helps",
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/socat"),
      "there is no socat; install socat"))
  func socat() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.newDirectClient()
      let socket = try directSocket(world)
      let passedOn = world.folder + "/passed-on"
      let relay = try world.startProcess(
        "/usr/bin/socat",
        ["-d", "-d", "UNIX-LISTEN:\(passedOn),fork", "UNIX-CONNECT:\(socket)"])
      try await relay.line(containing: "listening on")
      let (end, lines) = try await world.lsopen(through: passedOn, ["file:///etc/passwd"])
      #expect(end == "exited with code 4")
      #expect(
        lines.contains {
          $0.contains("the caller is socat") && $0.contains("lsregister remote add NAME")
        }, "\(lines)")
      #expect(!lines.contains { $0.contains("sandbox") }, "\(lines)")
    }
  }
}
