import Foundation

/// Files of these tests, and programs of the build.
enum Fixture {
  static func path(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/\(name)").path
  }

  /// Beside the test itself, where the build puts it.
  static func program(_ name: String) -> String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name).path
  }
}
