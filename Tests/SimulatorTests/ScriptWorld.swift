import Foundation
import Testing

/// A home folder with a device set of its own, and an application to install.
final class ScriptWorld {
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
  func end() throws {
    let ending = try run("xcrun simctl shutdown all")
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

  /// Runs a script of bash, in the folder, with the folder of `lstest shims` first in PATH. A script that runs for two
  /// minutes is ended.
  func run(_ script: String, _ variables: [String: String] = [:]) throws -> Ending {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/timeout")
    let path = "export PATH=\"$('\(Self.programs)/lstest' shims):$PATH\"\n"
    process.arguments = ["--kill-after=5", "120", "/bin/bash", "-c", path + script]
    process.currentDirectoryURL = folder
    process.environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder.path,
      "LAUNCH_SERVICES_PROGRAMS": Self.programs,
      "LAUNCH_SERVICES_DEVICES": folder.path + "/devices",
    ].merging(ProcessInfo.processInfo.environment.filter { ["LD_LIBRARY_PATH"].contains($0.key) }) {
      old, _ in old
    }.merging(variables) { $1 }
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    let error = folder.appending(path: "error-\(UUID().uuidString)")
    for file in [output, error] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: error)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return Ending(
      status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
      error: try String(contentsOf: error, encoding: .utf8))
  }
}

/// Runs a test in a world that is ended after failures, too.
func withWorld(_ body: (ScriptWorld) throws -> Void) throws {
  let world = try ScriptWorld()
  do {
    try body(world)
  } catch {
    try? world.end()
    throw error
  }
  try world.end()
}
