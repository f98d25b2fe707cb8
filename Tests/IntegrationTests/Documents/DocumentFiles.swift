import Foundation
import LaunchRules
import LaunchServicesTesting

extension Testbed {
  /// Where documents of a test lie.
  var documents: String { folder + "/documents" }

  /// Makes a file, with the folders above it.
  /// - Returns: its URL.
  @discardableResult
  func write(document name: String, _ text: String = "text") throws -> String {
    let path = "\(documents)/\(name)"
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return DocumentURL.text(of: Array(path.utf8))
  }

  /// Installs the types that everybody refers to, and waits until they are known.
  func installCoreTypes() async throws {
    let source = URL(filePath: Example.folder).deletingLastPathComponent()
      .appending(path: "systemd/share/launch-services/System/CoreTypes.plist").path
    let target = folder + "/share/launch-services/System"
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: source, toPath: target + "/CoreTypes.plist")
    try await client.reload()
  }

  /// An application that opens types.
  @discardableResult
  func install(
    _ identifier: String, opening types: [String], rank: String = "Default",
    _ script: HandlerScript = .delegate(), _ change: (inout TestApplication) -> Void = { _ in }
  ) async throws -> ScriptedHandler {
    try await install(identifier, script: script) {
      $0.otherKeys["CFBundleDocumentTypes"] = [
        [
          "CFBundleTypeRole": "Editor", "LSHandlerRank": .string(rank),
          "LSItemContentTypes": .array(types.map(PropertyListValue.string)),
        ]
      ]
      change(&$0)
    }
  }

  private func install(
    _ identifier: String, script: HandlerScript, _ change: (inout TestApplication) -> Void
  ) async throws -> ScriptedHandler {
    try await install(identifier, schemes: [], queries: [], script, change)
  }
}

extension ScriptedHandler {
  /// The documents of each delivery so far.
  func deliveries() -> [[String]] {
    heard().compactMap { event in
      if case .opened(let urls) = event { urls.map(\.url) } else { nil }
    }
  }
}
