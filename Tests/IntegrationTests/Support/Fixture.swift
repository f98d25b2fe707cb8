import Foundation

/// Files of these tests, and programs of the build.
enum Fixture {
  static func path(_ name: String) -> String {
    package.appending(path: "Tests/IntegrationTests/Fixtures/\(name)").path
  }

  /// The root folder of this package.
  static let package = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// Beside the test itself, where the build puts it.
  static func program(_ name: String) -> String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name).path
  }
}
