import Foundation
import LaunchServicesTesting
import Testing

/// An open that succeeds as far as its opener is told (R4.3).
typealias Outcome = Receipt.Outcome

extension Outcome {
  static let deliveredCold = Outcome(.cold, .delivered, handled: true)
  static let deliveredWarm = Outcome(.warm, .delivered, handled: true)
  static let handedOverCold = Outcome(.cold, .handedOver, handled: true)
  static let handedOverWarm = Outcome(.warm, .handedOver, handled: true)
  static let unacknowledgedCold = Outcome(.cold, .unacknowledged, handled: true)
  static let unacknowledgedWarm = Outcome(.warm, .unacknowledged, handled: true)
  /// Of an application that was started with the URL: it may take part in its protocol at once, or later.
  static let ofStart = [unacknowledgedCold, handedOverCold]
  static let vetoed = Outcome(.cold, .vetoed, handled: false)
}

/// How the daemon logs that a query was answered with no.
func failedQuery(_ url: String, _ error: String, hint: String? = nil) -> String {
  let line =
    "launchservicesd: notice: -canOpenURL: failed for URL: \"\(url)\" - error: \"\(error)\""
  return hint.map { "\(line) hint=\"\($0)\"" } ?? line
}

let notFound = "The operation couldn’t be completed. (OSStatus error -10814.)"

/// The two kinds of application, by the SDK they are linked with.
enum Profile: String, CaseIterable, CustomTestStringConvertible {
  case iOS = "iphoneos26.0"
  case macOS = "macosx26.0"

  var testDescription: String { "\(self)" }
}

extension Testbed {
  /// Writes `config.plist`, for the next daemon, and gives its path.
  @discardableResult func writeSettings(_ xml: String) throws -> String {
    let folder = try #require(environment["XDG_CONFIG_HOME"]) + "/launch-services"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/config.plist"
    try "<plist version=\"1.0\"><dict>\(xml)</dict></plist>"
      .write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// Writes a desktop entry of an application that does nothing, and makes it the default for the schemes. GIO finds
  /// the schemes without an index of the entries.
  func writeDesktopEntry(_ identifier: String, name: String? = nil, schemes: [String] = []) throws {
    let folder = try #require(environment["XDG_DATA_HOME"]) + "/applications"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let entry = """
      [Desktop Entry]
      Type=Application
      Name=\(name ?? identifier)
      Exec=true %U

      """
    try entry.write(
      toFile: "\(folder)/\(identifier).desktop", atomically: true, encoding: .utf8)
    let list = folder + "/mimeapps.list"
    let old = (try? String(contentsOfFile: list, encoding: .utf8)) ?? "[Default Applications]\n"
    let lines = schemes.map { "x-scheme-handler/\($0)=\(identifier).desktop\n" }
    try (old + lines.joined()).write(toFile: list, atomically: true, encoding: .utf8)
  }
}
