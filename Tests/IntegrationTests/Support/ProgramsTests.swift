import Foundation
import Testing

@testable import LaunchServicesTesting

/// Where the test kit finds the programs that it starts.
@Suite("The programs of the testbed") struct ProgramsTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "launch-services-programs-\(UUID().uuidString)")

  /// Makes an executable file, and returns its path.
  private func make(_ path: String) throws -> String {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    return file.path
  }

  private func programs(chosen: String? = nil) -> Programs {
    Programs(
      [
        "PATH": folder.path + "/bin",
        "LAUNCH_SERVICES_PROGRAMS": chosen.map { "\(folder.path)/\($0)" } ?? "",
      ],
      beside: folder.path + "/beside")
  }

  @Test("come from the chosen folder, from beside the test, from PATH, from libexec, in this order")
  func order() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try make("bin/other")
    let installed = try make("libexec/launch-services/scripted-handler")
    #expect(
      try URL(filePath: programs().find("scripted-handler")).standardizedFileURL.path == installed)
    let inPath = try make("bin/scripted-handler")
    #expect(try programs().find("scripted-handler") == inPath)
    let beside = try make("beside/scripted-handler")
    #expect(try programs().find("scripted-handler") == beside)
    let chosen = try make("chosen/scripted-handler")
    #expect(try programs(chosen: "chosen").find("scripted-handler") == chosen)
    // A chosen folder without the program leaves the others.
    #expect(try programs(chosen: "bin/none").find("scripted-handler") == beside)
  }

  @Test("that are missing are named, with the folders and the line of Package.swift")
  func missing() throws {
    let failure = #expect(throws: TestbedFailure.self) {
      try programs(chosen: "chosen").find("launchservicesd")
    }
    #expect(
      failure?.description == """
        the program launchservicesd was not found. Searched: \(folder.path)/chosen (from \
        LAUNCH_SERVICES_PROGRAMS), \(folder.path)/beside (the folder of this program), and PATH. Add \
        `.product(name: "launchservicesd", package: "launch-services")` to the dependencies of the test target in \
        Package.swift, so that SwiftPM builds launchservicesd; or set LAUNCH_SERVICES_PROGRAMS to the folder that has it.
        """)
    let foreign = #expect(throws: TestbedFailure.self) { try programs().find("dbus-daemon") }
    #expect(
      foreign?.description.hasSuffix("Install dbus-daemon, or add its folder to PATH.") == true)
  }
}
