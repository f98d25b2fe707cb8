import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Who else may be on a bus.
@MainActor @Suite("Strangers on the bus", .timeLimit(.minutes(30)))
struct StrangerTests {
  private func askBus(_ member: MemberName, _ arguments: [Value], in world: Testbed)
    async throws
  {
    _ = try await world.client.call(
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: member, arguments))
  }

  @Test(
    "A process of another user is refused, also when the bus lets it in",
    .enabled(if: getuid() == 0, "only root can start a process of another user"))
  func anotherUser() async throws {
    try await Testbed.run { world in
      let file = world.folder + "/bus.conf"
      try String(contentsOfFile: file, encoding: .utf8)
        .replacing("<allow own=", with: "<allow user=\"*\"/><allow own=")
        .write(toFile: file, atomically: false, encoding: .utf8)
      try await askBus("ReloadConfig", [], in: world)

      let stranger = try world.startProcess(
        "setpriv",
        [
          "--reuid", "65534", "--clear-groups", "dbus-send", "--session", "--print-reply",
          "--dest=\(Contract.busName)", Contract.objectPath.text,
          "\(Contract.registry).ListApplications",
        ])
      #expect(try await stranger.hasEnded() == "exited with code 1")
      #expect(
        stranger.lines == [
          "Error org.freedesktop.DBus.Error.AccessDenied: the caller is not a process of this user"
            + " that can be identified"
        ])
    }
  }

  @Test("The bus is asked once who a connection is") func askedOnce() async throws {
    try await Testbed.run { world in
      let monitor = try world.startProcess(
        "dbus-monitor", ["--session", "member='GetConnectionCredentials'"])
      try await monitor.line(containing: "member=NameLost")
      let clients = [try await world.newClient(), try await world.newClient()]
      for client in [clients[0], clients[0], clients[0], clients[1]] {
        _ = try await client.canOpen("photos:")
      }
      // What is monitored comes in order.
      try await askBus("GetConnectionCredentials", [.string("org.freedesktop.DBus")], in: world)
      try await monitor.line(containing: "string \"org.freedesktop.DBus\"")
      let asked = monitor.lines.count { $0.contains("member=GetConnectionCredentials") }
      #expect(asked == clients.count + 1)
    }
  }
}
