import Foundation
import Host
import Testing

@testable import LaunchServicesTesting

/// A home folder with a device set of its own, and an application to install.
@MainActor final class ScriptWorld {
  let folder: URL
  /// The folder of the programs of the build.
  private static let programs =
    (try? FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/self/exe")).map { ($0 as NSString).deletingLastPathComponent } ?? ""

  struct Ending {
    var status: Int32
    var output: String
    var error: String
  }

  init() throws {
    folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "simulator-\(UUID().uuidString.prefix(8))")
    try makeApplication()
  }

  /// Ends the devices, and removes the folder.
  func end() async throws {
    let ending = try await run("xcrun simctl shutdown all")
    #expect(ending.error == "")
    try FileManager.default.removeItem(at: folder)
  }

  /// `Photos.app`, whose program is the example of the README.
  private func makeApplication() throws {
    let bundle = folder.appending(path: "Photos.app")
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Self.programs + "/photos", toPath: bundle.path + "/photos")
    let keys: [String: Any] = [
      "CFBundleIdentifier": "com.example.photos", "CFBundleExecutable": "photos",
      "CFBundleName": "Photos", "CFBundleVersion": "7",
      "CFBundleURLTypes": [["CFBundleURLSchemes": ["photos"]]],
    ]
    try PropertyListSerialization.data(fromPropertyList: keys, format: .binary, options: 0)
      .write(to: bundle.appending(path: "Info.plist"))
  }

  /// The contents of all files of devices with this name.
  func files(named name: String) throws -> [String] {
    let devices = folder.appending(path: "devices")
    return try FileManager.default.contentsOfDirectory(atPath: devices.path).compactMap {
      try? String(contentsOf: devices.appending(path: "\($0)/\(name)"), encoding: .utf8)
    }
  }

  /// Runs a script of bash, in the folder, with the folder of `lstest shims` first in PATH.
  func run(_ script: String, _ variables: [String: String] = [:]) async throws -> Ending {
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    let error = folder.appending(path: "error-\(UUID().uuidString)")
    let beginning = """
      exec </dev/null >'\(output.path)' 2>'\(error.path)'
      export PATH="$('\(Self.programs)/lstest' shims):$PATH"

      """
    let own = ProcessInfo.processInfo.environment
    var environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder.path,
      "LAUNCH_SERVICES_PROGRAMS": Self.programs,
      "LAUNCH_SERVICES_DEVICES": folder.path + "/devices",
    ]
    environment["LD_LIBRARY_PATH"] = own["LD_LIBRARY_PATH"]
    let process = try ObservedProcess(
      Launch(
        executable: "/bin/bash", arguments: ["-c", beginning + script],
        environment: environment.merging(variables) { $1 }, workingDirectory: folder.path))
    let end = try await process.exit()
    return Ending(
      status: Self.status(end),
      output: try String(contentsOf: output, encoding: .utf8),
      error: try String(contentsOf: error, encoding: .utf8))
  }

  private static func status(_ end: ProcessEnd) -> Int32 {
    switch end {
    case .exited(let code): code
    case .signalled(let number): 128 + number
    case .unknown: -1
    }
  }
}

/// Runs a test in a world that is ended after failures, too.
@MainActor func withWorld(_ body: (ScriptWorld) async throws -> Void) async throws {
  let world = try ScriptWorld()
  do {
    try await body(world)
  } catch {
    try? await world.end()
    throw error
  }
  try await world.end()
}
