import Foundation
import Host
import Testing

@testable import LaunchServicesTesting

/// The folder and the environment of a world of `lstest`.
@MainActor @Suite(.timeLimit(.minutes(30)))
struct ScenarioFolderTests {
  private static let scenario = """
    {"applications": [\(ScenarioRunTests.application("com.example.a", ["a"]))],
     "steps": [{"open": "a:1", "expect": "com.example.a"}]}
    """

  /// Runs `lstest` with variables besides those of the other tests.
  private func run(
    _ arguments: [String], scenario: String = scenario, _ variables: [String: String] = [:],
    in folder: String
  ) async throws -> ScenarioRunTests.Result {
    try ScenarioRunTests.write(["a.lstest.json": scenario], to: folder)
    let process = try ObservedProcess(
      Launch(
        executable: try Programs.find("lstest"), arguments: arguments,
        environment: ScenarioRunTests.environment(in: folder).merging(variables) { $1 },
        workingDirectory: folder))
    return ScenarioRunTests.Result(end: try await process.hasEnded(), lines: process.lines)
  }

  @Test(
    "--keep keeps the folder of a world, says where it is, and does not change the status",
    arguments: [
      ["run", "--keep", "a.lstest.json"], ["shell", "--keep", "a.lstest.json", "--", "true"],
    ])
  func keep(arguments: [String]) async throws {
    try await ScenarioRunTests.withFolder { folder in
      let result = try await run(arguments, in: folder)
      #expect(result.end == "exited with code 0", "\(result.lines)")
      let worlds = WorldRemains.worlds(in: folder)
      #expect(worlds.count == 1)
      let world = "\(folder)/\(worlds.first ?? "")"
      #expect(result.lines.contains { $0.hasSuffix(" kept in \(world)") }, "\(result.lines)")
      #expect(FileManager.default.fileExists(atPath: "\(world)/elsewhere/0/Info.plist"))
      #expect(Leftovers(folder: folder, known: []).processes == [])
    }
  }

  @Test(
    "a folder for temporary files may have characters that have a meaning in addresses and in XML")
  func specialCharacters() async throws {
    try await ScenarioRunTests.withFolder { folder in
      let temporary = folder + "/a b;c,d&e"
      try ScenarioRunTests.write([:], to: temporary)
      let result = try await run(["run", "a.lstest.json"], ["TMPDIR": temporary], in: folder)
      #expect(result.end == "exited with code 0", "\(result.lines)")
      #expect(WorldRemains.worlds(in: temporary) == [])
    }
  }

  @Test("a message bus that ends at its start ends the scenario, with what it wrote")
  func busThatEnds() async throws {
    try await ScenarioRunTests.withFolder { folder in
      try ScenarioRunTests.write(["bin/dbus-daemon": "#!/bin/sh\nexit 3\n"], to: folder)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder + "/bin/dbus-daemon")
      let result = try await run(
        ["run", "a.lstest.json"], [Programs.variable: folder + "/bin"], in: folder)
      #expect(result.end == "exited with code 4")
      #expect(
        result.lines.contains { $0.contains("dbus-daemon exited with code 3; it wrote:") },
        "\(result.lines)")
    }
  }

  @Test("a folder for temporary files that cannot be used is named with the reason, with status 4")
  func unusable() async throws {
    try await ScenarioRunTests.withFolder { folder in
      let result = try await run(["run", "a.lstest.json"], ["TMPDIR": "/proc/none"], in: folder)
      #expect(result.end == "exited with code 4", "\(result.lines)")
      #expect(
        result.lines.contains {
          $0.hasSuffix(
            "the folder for temporary files, /proc/none, does not exist: correct TMPDIR, or make the folder"
          )
        }, "\(result.lines)")
      let shell = try await run(
        ["shell", "a.lstest.json", "--", "true"], ["TMPDIR": "/proc/none"], in: folder)
      #expect(shell.end == "exited with code 4", "\(shell.lines)")
      #expect(shell.lines.contains { $0.contains("/proc/none, does not exist") }, "\(shell.lines)")
      #expect(!FileManager.default.fileExists(atPath: folder + "/none"))
      _ = try await run(["run", "a.lstest.json"], ["TMPDIR": folder + "/none"], in: folder)
      #expect(!FileManager.default.fileExists(atPath: folder + "/none"))
      let long = folder + "/" + String(repeating: "l", count: 90)
      try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: false)
      let unbound = try await run(["run", "a.lstest.json"], ["TMPDIR": long], in: folder)
      #expect(unbound.end == "exited with code 4", "\(unbound.lines)")
      #expect(
        unbound.lines.contains {
          $0.hasSuffix(
            "/bus is too long for a socket, which has at most 107 bytes: set TMPDIR to a folder with a shorter path,"
              + " such as /tmp")
        }, "\(unbound.lines)")
    }
  }

  @Test("a program of a world does not get the display of the machine") func display() async throws
  {
    try await ScenarioRunTests.withFolder { folder in
      let program =
        #", "program": ["/bin/sh", "-c", "printenv DISPLAY WAYLAND_DISPLAY || echo no display"]"#
      let scenario = """
        {"applications": [\(ScenarioRunTests.application("com.example.a", ["a"], program))],
         "steps": [{"open": "a:1", "expect": {"error": "HandlerExited", "prints": "no display"}}]}
        """
      let result = try await run(
        ["run", "a.lstest.json"], scenario: scenario,
        ["DISPLAY": ":77", "WAYLAND_DISPLAY": "wayland-77"], in: folder)
      #expect(result.end == "exited with code 0", "\(result.lines)")
    }
  }

  @Test("a step acts as an application of the scenario or of the system, and as no other")
  func openers() async throws {
    let applications = ScenarioRunTests.application("com.example.photos", ["a"])
    let wrong = try await ScenarioRunTests.run(
      ["run", "a.lstest.json"],
      files: [
        "a.lstest.json": """
        {"applications": [\(applications)],
         "steps": [
          {"can-open": "a:1", "as": "com.example.photo",
           "expect": false},
          {"open": "a:1", "as": "com.example.photso"}, {"click": "a:1", "as": "com.example.Photos"}]}
        """
      ])
    #expect(wrong.end == "exited with code 65")
    let problems = wrong.lines.filter { $0.contains("].as") }
    #expect(problems.count == 2, "\(wrong.lines)")
    #expect(
      problems.first?.hasSuffix(
        "a.lstest.json:3: steps[0].as: the scenario has no application com.example.photo; did you mean"
          + " com.example.photos?") == true, "\(problems)")
    #expect(problems.last?.contains("a.lstest.json:5: steps[1].as: ") == true, "\(problems)")
    let system = try await ScenarioRunTests.run(
      ["run", "a.lstest.json"],
      files: [
        "a.lstest.json": """
        {"applications": [\(applications)],
         "steps": [{"open": "a:1", "as": "org.launchservices.system.Safari", "expect": "com.example.photos"}]}
        """
      ])
    #expect(system.end == "exited with code 0", "\(system.lines)")
  }
}
