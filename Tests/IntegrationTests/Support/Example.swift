import Foundation
import LaunchServicesTesting

/// The examples, as they are built, registered by their own property lists.
enum Example: String {
  case photoAlbum = "photo-album"
  case iapp
  case photos
  case pythonHandler = "python-handler"
  case gtkHandler = "gtk-handler"

  static let folder = Fixture.package.appending(path: "Examples").path
  static let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path

  /// A program of this build.
  static func program(_ name: String) -> String? {
    let path = products + "/" + name
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  @MainActor func register(in world: Testbed) async throws {
    try await world.client.register(
      "\(Self.folder)/\(rawValue)/\(rawValue).plist",
      define: ["BUILT_PRODUCTS_DIR": Self.products, "EXAMPLES_DIR": Self.folder])
  }
}
