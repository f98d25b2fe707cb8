import BusContract
import Foundation
import LaunchServicesTesting
import Testing

/// A process that has taken the place of an application, started another one that reads, and executes the program of the
/// application. The bus and the kernel name this process.
@MainActor
@Suite(
  "Processes that pass the endpoint of an application on", .timeLimit(.minutes(30)),
  .enabled(
    if: OtherExampleTests.hasPython && Desktop.isInstalled("update-desktop-database"),
    "needs the packages python3-dbus, python3-gi and desktop-file-utils"))
struct PassingOnTests {
  private func expectNothing(
    _ kind: String, _ held: String, at place: String, in world: Testbed
  ) async throws {
    let impostor = try world.startProcess(
      "/usr/bin/python3",
      [Fixture.path("passing-on.py"), kind, held, place, "/usr/bin/sleep", "600"])
    try await impostor.line(containing: "passing-on serves")
    do throws(Refusal) {
      Issue.record("\(try await world.client.open("chat:secret"))")
    } catch {
      let why =
        held == "closed"
        ? "has passed its connection on to another process"
        : "of another program, can read what is sent to the application"
      #expect(error.name == "org.launchservices.Error.HandlerRefused", "\(error)")
      #expect(error.text.contains(why), "\(error)")
    }
    #expect(try await !world.client.explain("chat:secret").wouldOpen)
    #expect(!impostor.lines.contains { $0.contains("passing-on got") }, "\(impostor.lines)")
    try await impostor.stop()
  }

  @Test("get no URL at a bus name", arguments: ["closed", "kept"]) func bus(held: String)
    async throws
  {
    try await Desktop.run { world, desktop in
      let name = "org.example.my-app"
      try await desktop.install(
        name, schemes: ["chat"], exec: "/usr/bin/sleep 600 %u", others: "DBusActivatable=true")
      try await world.client.reload()
      try await expectNothing("bus", held, at: name, in: world)
    }
  }

  @Test("get no URL at a socket", arguments: ["closed", "kept"]) func socket(held: String)
    async throws
  {
    try await Desktop.run { world, desktop in
      let folder = try #require(world.environment["XDG_CONFIG_HOME"])
      try await desktop.install("chat", schemes: ["chat"], exec: "/usr/bin/sleep 600 %u")
      try await desktop.handOver(["chat.desktop", "qt-local-peer", "chat/socket"])
      try await world.client.reload()
      try await expectNothing("socket", held, at: "\(folder)/chat/socket", in: world)
    }
  }
}
