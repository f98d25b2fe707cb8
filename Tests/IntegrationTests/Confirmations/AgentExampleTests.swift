import Foundation
import Host
import LaunchServicesTesting
import Testing

@MainActor @Suite("The examples of confirmation agents", .timeLimit(.minutes(1)))
struct AgentExampleTests {
  private static let registered = "a confirmation agent has registered"

  @Test("the one in Swift allows what it was told to, also after the daemon was restarted")
  func swift() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime", "facetime-audio"])
      let agent = try world.startProcess("confirmation-agent", ["facetime"])
      try await world.daemon.line(containing: Self.registered)
      #expect(try await world.client.open("facetime:ann").outcome == .deliveredCold)
      try await agent.line(containing: "Let a program start a FaceTime call to ann? yes")
      try await world.restartDaemon()
      try await world.daemon.line(containing: Self.registered)
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("facetime-audio:ann")
      }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
      try await agent.line(containing: "Let a program start a FaceTime call to ann? no")
    }
  }

  @Test(
    "the one in Python asks at its terminal",
    .enabled(
      if: OtherExampleTests.hasPython, "needs the packages python3-dbus and python3-gi"))
  func python() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let input = (world.environment["HOME"] ?? "") + "/answers"
      try Data("y\nn\n".utf8).write(to: URL(filePath: input))
      let agent = try world.startProcess(
        Launch(
          executable: "/usr/bin/python3",
          arguments: [Example.folder + "/confirmation-agent/agent.py"],
          environment: world.environment, standardInput: .file(input)))
      try await agent.line(containing: "ready")
      #expect(try await world.client.open("facetime:ann").outcome == .deliveredCold)
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("facetime:bob")
      }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
    }
  }
}
