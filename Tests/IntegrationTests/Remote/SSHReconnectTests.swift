import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// Opens on another machine that wait while their connection is cut, and the user connects again.
@MainActor
@Suite(
  "A new session of lsopen ssh",
  .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"), .timeLimit(.minutes(30)))
struct SSHReconnectTests {
  /// Begins a session, and returns it with the path of its socket there.
  private func connect(
    _ far: FarMachine, _ options: [String] = []
  ) async throws -> (session: ObservedProcess, socket: String) {
    let session = try far.start(
      "lsopen",
      ["ssh"] + options + ["far", "echo socket $LAUNCH_SERVICES_REMOTE; exec sleep 10000"])
    let line = try await session.line(containing: "socket ")
    return (session, String(line.dropFirst("socket ".count)))
  }

  private func cut(_ far: FarMachine, _ session: ObservedProcess) async throws {
    for pid in far.clients { kill(pid, SIGKILL) }
    _ = try await session.hasEnded()
  }

  @Test(
    "answers the open that waits since the last one was cut, wherever its socket is",
    arguments: [true, false])
  func again(hasVariable: Bool) async throws {
    try await FarMachine.run { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let agent = try await world.confirmationAgent()
      let first = try await connect(far)
      let variable = hasVariable ? ["LAUNCH_SERVICES_REMOTE=\(first.socket)"] : []
      let open = try far.startThere(variable + ["lsopen", "photos:1"])
      #expect(try await agent.isAsked().opener == "remote:far")
      try await cut(far, first.session)
      try await open.line(containing: "the connection to the other machine was lost")
      let second = try await connect(far)
      #expect(second.socket != first.socket)
      agent.answer(true)
      #expect(try await open.hasEnded() == "exited with code 0", "\(open.lines)")
      try await photos.next(.opened("photos:1"))
      // A program with the old variable finds the new session, too.
      let late = try far.startThere(variable + ["lsopen", "--can-open", "https:"])
      #expect(try await late.hasEnded() != "exited with code 3", "\(late.lines)")
      second.session.signal(SIGTERM)
      _ = try await second.session.hasEnded()
      #expect(photos.heard().isEmpty)
    }
  }

  @Test(
    "of another remote learns nothing of the open that waits, which says what it knows",
    arguments: [true, false])
  func other(hasVariable: Bool) async throws {
    try await FarMachine.run { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await world.installBrowser()
      let agent = try await world.confirmationAgent()
      let first = try await connect(far)
      let variable = hasVariable ? ["LAUNCH_SERVICES_REMOTE=\(first.socket)"] : []
      let open = try far.startThere(
        variable + ["lsopen", "--json", "--timeout", "8", "photos:1"])
      #expect(try await agent.isAsked().opener == "remote:far")
      try await cut(far, first.session)
      try await open.line(containing: "the connection to the other machine was lost")
      let other = try await connect(far, ["--name", "other"])
      // The open of a new program goes to the newest session.
      let new = try far.startThere(["lsopen", "https://example.com/"])
      #expect(try await new.hasEnded() == "exited with code 0", "\(new.lines)")
      #expect(try await open.hasEnded() == "exited with code 4")
      let answer = open.lines.lazy.compactMap(Testbed.json).first
      #expect(answer?["error"] as? String == "DeliveryUnknown", "\(open.lines)")
      let openers = try await world.history().map { $0["caller"]?.asString ?? "" }
      #expect(openers.count { $0 == "remote:other" } == 1, "\(openers)")
      other.session.signal(SIGTERM)
      _ = try await other.session.hasEnded()
      #expect(photos.heard().isEmpty)
    }
  }
}
