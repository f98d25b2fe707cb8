import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// The tools that people look at a service with.
@Suite("Introspection", .timeLimit(.minutes(30)))
struct IntrospectionTests {
  static func isInstalled(_ tool: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + tool)
  }

  @Test(
    "busctl", .enabled(if: isInstalled("busctl"), "busctl is missing: install the package systemd"))
  func busctl() async throws {
    try await Testbed.run { world in
      let tool = try world.startProcess(
        "busctl",
        [
          "--user", "--no-pager", "introspect", Contract.busName.text, Contract.objectPath.text,
        ])
      #expect(try await tool.hasEnded() == "exited with code 0")
      try await tool.line(containing: "org.freedesktop.DBus.Properties")
      let columns = tool.lines.map { $0.split(separator: " ").prefix(4).joined(separator: " ") }
      for line in [
        "org.launchservices.Workspace1 interface - -", ".OpenURL method sa{sv} a{sv}",
        ".CanOpenURL method sa{sv} b", ".CheckIn method a{sv} a{sv}",
        ".Handlers method s asas", ".Generation property t 0", ".Changed signal t -",
      ] {
        #expect(columns.contains(line), "\(tool.lines)")
      }
    }
  }

  @Test(
    "gdbus",
    .enabled(if: isInstalled("gdbus"), "gdbus is missing: install the package libglib2.0-bin"))
  func gdbus() async throws {
    try await Testbed.run { world in
      let tool = try world.startProcess(
        "gdbus",
        [
          "introspect", "--session", "--dest", Contract.busName.text, "--object-path", "/",
          "--recurse",
        ])
      #expect(try await tool.hasEnded() == "exited with code 0")
      try await tool.line(containing: "interface org.launchservices.Registry1 {")
      try await tool.line(containing: "readonly t Generation = 0;")
    }
  }

  @Test("Every object on the way to ours leads there")
  func parents() async throws {
    try await Testbed.run { world in
      for (path, child) in [
        ("/", "org"), ("/org", "launchservices"), ("/org/launchservices", "LaunchServices1"),
      ] {
        let answer = try await world.client.call(
          .call(
            to: Contract.busName, path: try #require(ObjectPath(path)),
            interface: "org.freedesktop.DBus.Introspectable", member: "Introspect"))
        #expect(answer.first?.asString?.contains("<node name=\"\(child)\"/>") == true)
      }
    }
  }

  @Test("The property Generation grows with the registry, and Changed tells it")
  func generation() async throws {
    try await Testbed.run { world in
      func generation() async throws -> UInt64? {
        let answer = try await world.client.call(
          .call(
            to: Contract.busName, path: Contract.objectPath,
            interface: "org.freedesktop.DBus.Properties", member: "Get",
            [.string("org.launchservices.Registry1"), .string("Generation")]))
        guard case .variant(let value) = answer.first else { return nil }
        return value.asUInt64
      }
      #expect(try await generation() == 0)
      try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.registryChange() == 1)
      #expect(try await generation() == 1)
    }
  }
}
