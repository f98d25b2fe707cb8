import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// Property lists of real applications, which lie beside the package where somebody collected them, with the example
/// in Python as their executable.
@MainActor
@Suite(
  "Real property lists, with a handler in Python",
  .enabled(if: folder != nil, "the folder of real property lists is not here"),
  .enabled(if: OtherExampleTests.hasPython, "needs the packages python3-dbus and python3-gi"),
  .timeLimit(.minutes(30)))
struct RealPropertyListTests {
  /// What the daemon does with these depends on the rest of the URL.
  private static let checked: Set = [
    "facetime", "facetime-audio", "file", "mailto", "sms", "tel", "telprompt",
  ]

  @Test("H1 each URL arrives by a call, whatever else the property list declares")
  func arrives() async throws {
    try await Testbed.run { world in
      for (number, name) in try names().enumerated() {
        let identifier = "com.example.real\(number)"
        guard let application = try bundle(name, identifier, in: world) else { continue }
        try await world.client.register(application)
        let schemes = try await world.client.entry(of: identifier)?["schemes"]?.asStrings ?? []
        for scheme in schemes where !Self.checked.contains(scheme) {
          let url = "\(scheme)://example.com/\(name)"
          let receipt = try await world.client.open(url, with: identifier)
          #expect(receipt.outcome.delivery == .delivered && receipt.outcome.handled, "\(url)")
          try await world.daemon.line(containing: "note \(url) from unknown")
        }
      }
    }
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: try #require(folder).path)
      .filter { $0.hasSuffix(".plist") }.sorted()
  }

  /// An application with the property list, and its path; nil for a file that Foundation cannot read.
  private func bundle(
    _ name: String, _ identifier: String, in world: Testbed
  ) throws -> String? {
    let contents = try Data(contentsOf: try #require(folder).appending(path: name))
    guard
      var keys = unsafe try? PropertyListSerialization.propertyList(from: contents, format: nil)
        as? [String: Any]
    else { return nil }
    keys["CFBundleIdentifier"] = identifier
    keys["CFBundleExecutable"] = "handler"
    let application = URL(filePath: "\(world.folder)/\(name).app")
    try FileManager.default.createDirectory(at: application, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: "\(Example.folder)/python-handler/handler.py",
      toPath: application.appending(path: "handler").path)
    try PropertyListSerialization.data(fromPropertyList: keys, format: .xml, options: 0)
      .write(to: application.appending(path: "Info.plist"))
    return application.path
  }
}

private let folder: URL? = {
  let override = ProcessInfo.processInfo.environment["LAUNCH_SERVICES_CORPUS"]
  let folder =
    override.map { URL(filePath: $0) }
    ?? Fixture.package.appending(path: "../shared/corpus/info-plists")
  return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
}()
