import Foundation
import LaunchServicesTesting
import Testing

/// The unit file, as systemd reads it; `Tests/try-unit` starts it.
@MainActor
@Suite(
  "The unit file",
  .enabled(
    if: IntrospectionTests.isInstalled("systemd-analyze"),
    "systemd-analyze is missing: install the package systemd"), .timeLimit(.minutes(30)))
struct UnitFileTests {
  /// Installs below a prefix with a space and a `%`, and gives the folder of the unit.
  private func install(_ arguments: [String], in world: Testbed) async throws -> String {
    let prefix = world.folder + "/a 100% prefix"
    let install = try world.startProcess(
      InstallerTests.systemd + "/install",
      ["--prefix", prefix, "--programs", Example.products] + arguments)
    #expect(try await install.hasEnded() == "exited with code 0", "\(install.lines)")
    return prefix + "/share/systemd/user"
  }

  private func analyze(_ arguments: [String], in world: Testbed) async throws -> [String] {
    let analyze = try world.startProcess("systemd-analyze", arguments)
    #expect(try await analyze.hasEnded() == "exited with code 0", "\(analyze.lines)")
    return analyze.lines
  }

  @Test(
    "names the program that was installed, and systemd finds no fault",
    arguments: [[], ["--plain"]])
  func verifies(_ options: [String]) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let folder = try await install(options, in: world)
      let unit = folder + "/launchservicesd.service"
      let text = try String(contentsOfFile: unit, encoding: .utf8)
      let program = "ExecStart=\"\(world.folder)/a 100%% prefix/bin/launchservicesd\""
      #expect(text.contains(program + "\n"))
      let hardened = try? String(contentsOfFile: unit + ".d/hardened.conf", encoding: .utf8)
      let isHardened = hardened?.contains("ExecStart=\n\(program) --confined\n") ?? false
      #expect(isHardened == options.isEmpty)
      let units = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".service") }.map { "\(folder)/\($0)" }
      #expect(units.count == (isHardened ? 3 : 1))
      let lines = try await analyze(["verify", "--user", "--man=no"] + units, in: world)
      #expect(lines.isEmpty)
    }
  }

  @Test(
    "is as exposed as the guide Installing says",
    arguments: [([], "1.2 OK"), (["--plain"], "9.8 UNSAFE")])
  func exposure(_ options: [String], _ figure: String) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let folder = try await install(options, in: world)
      // Offline, drop-ins are not read.
      var text = try String(contentsOfFile: folder + "/launchservicesd.service", encoding: .utf8)
      if options.isEmpty {
        text += try String(
          contentsOfFile: folder + "/launchservicesd.service.d/hardened.conf", encoding: .utf8)
      }
      let whole = world.folder + "/launchservicesd.service"
      try text.write(toFile: whole, atomically: true, encoding: .utf8)
      let lines = try await analyze(
        ["security", "--user", "--offline=true", "--no-pager", whole], in: world)
      #expect(
        lines.last?.contains("launchservicesd.service: \(figure)") == true, "\(lines.suffix(1))")
    }
  }
}
