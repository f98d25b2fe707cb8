import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite(
  "The desktop bridge, out: applications that the bus starts", .timeLimit(.minutes(10)),
  .enabled(if: OtherExampleTests.hasPython, "needs the packages python3-dbus and python3-gi"))
struct DesktopActivationTests {
  private static let name = "org.example.my-app"

  @Test("Open with platform data, whether it runs or not") func opens() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installBridge("org.example.bridge", schemes: ["a"])
      try await desktop.installActivatable(Self.name, schemes: ["a"])
      var options = OpenOptions()
      options.activationToken = "token"
      #expect(try await world.client.open("a:%C3%A4?1", options).outcome == .deliveredCold)
      let first = try await world.busProcess.line(containing: "opened-by ")
      #expect(
        first.hasSuffix(
          "[[\"a:%C3%A4?1\"], {\"activation-token\": \"token\", \"desktop-startup-id\": \"token\"}]"
        ),
        "\(first)")
      #expect(try await world.client.open("a:2").outcome == .deliveredWarm)
      let second = try await world.busProcess.line(containing: "opened-by ")
      #expect(second.hasSuffix("[[\"a:2\"], {}]"), "\(second)")
      #expect(second.split(separator: " ")[1] == first.split(separator: " ")[1])
      #expect(desktop.recordings == 0)
    }
  }

  @Test("its refusal is the failure of the open") func refuses() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installBridge("org.example.bridge", schemes: ["a"])
      try await desktop.installActivatable(Self.name, schemes: ["a"])
      do throws(Refusal) {
        _ = try await world.client.open("a:refused")
        Issue.record("the open did not fail")
      } catch {
        #expect(
          error.text.contains(
            "org.example.my-app.desktop returned an error for the URL: I do not want it"))
      }
      #expect(desktop.recordings == 0)
    }
  }

  @Test("an error that it could have from the bus does not start a second process")
  func borrowedError() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installBridge("org.example.bridge", schemes: ["a"])
      try await desktop.installActivatable(Self.name, schemes: ["a"])
      for _ in 1...2 {  // not running, then running
        do throws(Refusal) {
          _ = try await world.client.open("a:unknown")
          Issue.record("the open did not fail")
        } catch {
          #expect(error.text.contains("returned an error for the URL: as the bus says"), "\(error)")
        }
      }
      #expect(desktop.recordings == 0)
    }
  }

  @Test("one that the bus does not know is started by its Exec") func fallsBack() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installBridge("org.example.bridge", schemes: ["a"])
      try await desktop.installActivatable(Self.name, schemes: ["a"], isInstalled: false)
      #expect(try await world.client.open("a:1").outcome == .handedOverCold)
      #expect(try await desktop.recorded().arguments == [Self.name, "a:1"])
      #expect(desktop.recordings == 1)
    }
  }
}
