import Foundation
import LaunchServicesTesting
import Testing

extension Testbed {
  /// Makes `lsopen` the desktop's handler of these schemes.
  func exportToDesktop(_ schemes: [String]) throws {
    let files = FileManager.default
    let name = "launch-services-test.desktop"
    let folder = try #require(environment["XDG_DATA_HOME"]) + "/applications"
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let types = schemes.map { "x-scheme-handler/\($0)" }
    let entry = """
      [Desktop Entry]
      Type=Application
      Name=Launch Services
      NoDisplay=true
      Exec=\(Example.products)/lsopen %u
      MimeType=\(types.joined(separator: ";"));

      """
    try entry.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    let defaults = ["[Default Applications]"] + types.map { "\($0)=\(name)" }
    try (defaults.joined(separator: "\n") + "\n").write(
      toFile: try #require(environment["XDG_CONFIG_HOME"]) + "/mimeapps.list", atomically: true,
      encoding: .utf8)
  }
}
