import BusContract
import Foundation
import Glibc
import Host
import LaunchServicesTesting
import Testing

@MainActor @Suite("The examples of confirmation agents", .timeLimit(.minutes(30)))
struct AgentExampleTests {
  private static let registered = "a confirmation agent has registered"

  @Test("the one in Swift allows what it was told to, also after the daemon was restarted")
  func swift() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime", "facetime-audio"])
      let agent = try world.startProcess("confirmation-agent", ["facetime"])
      try await world.daemon.line(containing: Self.registered)
      #expect(try await world.client.open("facetime:ann@b.example").outcome == .deliveredCold)
      try await agent.line(
        containing:
          "Let a program start a FaceTime call to ann@b.example with com.example.calls? yes")
      try await world.restartDaemon()
      try await world.daemon.line(containing: Self.registered)
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("facetime-audio:ann@b.example")
      }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
      try await agent.line(
        containing:
          "Let a program start a FaceTime call to ann@b.example with com.example.calls? no")
    }
  }

  /// The example in Python, at a terminal on which `answer` types.
  private func withPython(
    _ body: (Testbed, ObservedProcess, _ answer: (String) throws -> Void) async throws -> Void
  ) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let input = (world.environment["HOME"] ?? "") + "/answers"
      try #require(unsafe mkfifo(input, 0o600) == 0)
      let answers = try #require(FileHandle(forUpdatingAtPath: input))
      let agent = try world.startProcess(
        Launch(
          executable: "/usr/bin/python3",
          arguments: [Example.folder + "/confirmation-agent/agent.py"],
          environment: world.environment, standardInput: .file(input)))
      try await agent.line(containing: "ready")
      try await body(world, agent) { try answers.write(contentsOf: Data(($0 + "\n").utf8)) }
    }
  }

  @Test(
    "the one in Python asks at its terminal",
    .enabled(
      if: OtherExampleTests.hasPython, "needs the packages python3-dbus and python3-gi"))
  func python() async throws {
    try await withPython { world, agent, answer in
      let ann = world.client.opening("facetime:ann@b.example")
      try await agent.line(containing: "call to ann@b.example with com.example.calls? [y/N]")
      try answer("y")
      #expect(try await ann.receipt().outcome == .deliveredCold)
      let bob = world.client.opening("facetime:bob@b.example")
      try await agent.line(containing: "call to bob@b.example with com.example.calls? [y/N]")
      try answer("")
      let refusal = await #expect(throws: Refusal.self) { try await bob.receipt() }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
    }
  }

  @Test(
    "the one in Python asks the next question when one was withdrawn",
    .enabled(
      if: OtherExampleTests.hasPython, "needs the packages python3-dbus and python3-gi"))
  func withdrawn() async throws {
    try await withPython { world, agent, answer in
      var options = OpenOptions()
      options.cancellationID = "mine"
      let ann = world.client.opening("facetime:ann@b.example", options)
      try await agent.line(containing: "call to ann@b.example with com.example.calls? [y/N]")
      try await world.client.cancelOpen("mine")
      try await agent.line(containing: "(no longer)")
      _ = await #expect(throws: Refusal.self) { try await ann.receipt() }
      let bob = world.client.opening("facetime:bob@b.example")
      try await agent.line(containing: "call to bob@b.example with com.example.calls? [y/N]")
      try answer("y")
      #expect(try await bob.receipt().outcome == .deliveredCold)
    }
  }
}
