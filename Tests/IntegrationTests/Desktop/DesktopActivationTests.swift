import BusContract
import DBus
import Foundation
import Glibc
import Host
import LaunchServicesTesting
import Testing

@MainActor
@Suite(
  "The desktop bridge, out: applications that the bus starts", .timeLimit(.minutes(30)),
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

  @Test(
    "one that is opened from a display, in a session without one, is started by its Exec on this display"
  )
  func display() async throws {
    try await Desktop.run(environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""]) { world, desktop in
      try await desktop.installActivatable(Self.name, schemes: ["a"])
      try await world.client.reload()
      try await desktop.command("lsopen", "a:1", environment: ["DISPLAY": ":77"])
      let recorded = try await desktop.recorded()
      #expect(recorded.arguments == [Self.name, "a:1"])
      #expect(recorded.variables["DISPLAY"] == ":77")
      // Without a display the bus starts it.
      #expect(try await world.client.open("a:2").outcome == .deliveredCold)
      #expect(desktop.recordings == 1)
    }
  }

  @Test("nobody knows whether it took the URL when it does not answer, crashes, or ends just after")
  func unknown() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installActivatable(Self.name, schemes: ["a"])
      try await world.client.reload()
      for url in ["a:crash", "a:silent", "a:last"] {
        // A silent one stays silent.
        if url == "a:last" {
          for pid in Self.processes(world) { kill(pid, SIGKILL) }
          try await waitUntil("the end of the silent process") { Self.processes(world).isEmpty }
          #expect(try await world.client.open("a:1").outcome == .deliveredCold)
        }
        do throws(Refusal) {
          let receipt = try await world.client.open(url)
          Issue.record("\(url): \(receipt)")
        } catch {
          #expect(error.name == "org.launchservices.Error.DeliveryUnknown", "\(url): \(error)")
          if url == "a:crash" {
            #expect(error.text.contains("ended, or left the message bus,"), "\(error)")
          }
        }
      }
      #expect(desktop.recordings == 0)
    }
  }

  private static func processes(_ world: Testbed) -> [Int32] {
    ProcessDetails.ofThisUser().filter {
      $0.name.hasPrefix("python3") && !$0.hasEnded
        && $0.environmentAtStart["HOME"] == world.environment["HOME"]
    }.map(\.pid)
  }

  @Test("without a URL it is activated, whether it runs or not") func activates() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installActivatable(Self.name, schemes: ["a"])
      try await world.client.reload()
      for _ in 1...2 {
        try await desktop.command("lsopen", "-b", Self.name + ".desktop")
        try await world.busProcess.line(containing: "activated ")
      }
      #expect(desktop.recordings == 0)
    }
  }

  @Test(
    "its bus name is that of its file; one that has none is started by its Exec",
    arguments: [("nodots", nil), ("kde/org.example.sub", "org.example.sub")])
  func names(_ file: String, _ bus: String?) async throws {
    try await Desktop.run { world, desktop in
      if let bus { try await desktop.installActivatable(bus, schemes: []) }
      try await desktop.install(file, schemes: ["b"], others: "DBusActivatable=true")
      try await world.client.reload()
      let identifier = file.replacing("/", with: "-") + ".desktop"
      #expect(try await world.client.open("b:1").handler == identifier)
      if bus == nil {
        #expect(try await desktop.recorded().arguments == [file, "b:1"])
      } else {
        try await world.busProcess.line(containing: "opened-by ")
        #expect(desktop.recordings == 0)
      }
    }
  }
}
