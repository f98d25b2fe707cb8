import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor @Suite("lsregister devices", .timeLimit(.minutes(30))) struct DevicesCommandTests {
  private func devices(
    _ arguments: [String] = [], in world: Testbed, code: Int = 0
  ) async throws -> [String] {
    let process = try world.startProcess("lsregister", ["devices"] + arguments)
    #expect(try await process.hasEnded() == "exited with code \(code)")
    return process.lines
  }

  @Test("lists the devices by name, also as JSON; entries that are no devices are left out")
  func list() async throws {
    try await StandIn.run { world in
      try await StandIn.start(
        devices: ["b2:Tab:tablet:", "_a1_:Pixel 7:smartphone:pr"], in: world)
      #expect(
        try await devices(in: world) == [
          "Pixel 7  _a1_  phone   kdeconnect  paired    reachable",
          "Tab      b2    tablet  kdeconnect  unpaired  unreachable",
        ])
      #expect(
        try await devices(["--json"], in: world) == [
          #"[{"id":"_a1_","name":"Pixel 7","paired":true,"reachable":true,"transport":"kdeconnect","type":"phone"},"#
            + #"{"id":"b2","name":"Tab","paired":false,"reachable":false,"transport":"kdeconnect","type":"tablet"}]"#
        ])
    }
  }

  @Test("lists a device without a name by its identifier") func nameless() async throws {
    try await StandIn.run { world in
      try await StandIn.start(devices: ["_c3_::phone:pr", "_d4_: :phone:p"], in: world)
      let lines = try await devices(in: world)
      #expect(
        lines == [
          "_c3_  _c3_  phone  kdeconnect  paired  reachable",
          "_d4_  _d4_  phone  kdeconnect  paired  unreachable",
        ])
    }
  }

  @Test("starts KDE Connect, which an open does not") func starts() async throws {
    try await StandIn.run { world in
      let folder = try #require(world.environment["XDG_DATA_HOME"]) + "/dbus-1/services"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try """
      [D-BUS Service]
      Name=org.kde.kdeconnect
      Exec=/usr/bin/python3 \(StandIn.script) takes isPaired "\(StandIn.pixel)"

      """.write(
        toFile: folder + "/org.kde.kdeconnect.service", atomically: true, encoding: .utf8)
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("my:1", StandIn.on("Pixel 7"))
      }
      #expect(refusal?.text.contains("KDE Connect does not run") == true)
      #expect(
        try await devices(in: world) == ["Pixel 7  _a1_  phone  kdeconnect  paired  reachable"])
      #expect(
        try await world.client.open("my:1", StandIn.on("Pixel 7")).handler == "device:Pixel 7")
    }
  }

  @Test("without KDE Connect, the command names the package") func missing() async throws {
    try await StandIn.run { world in
      let lines = try await devices(in: world, code: 4)
      #expect(
        lines == ["lsregister: KDE Connect is not installed; install the package kdeconnect"])
    }
  }
}
