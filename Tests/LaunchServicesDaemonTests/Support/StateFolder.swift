import Foundation
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

/// A folder for files of durable state, which is removed at the end.
@MainActor final class StateFolder {
  let path: String

  /// The folder for all files that tests make: in memory, because durable state waits for the disk.
  nonisolated static let root: String = {
    let memory = "/dev/shm"
    let isWritable = FileManager.default.isWritableFile(atPath: memory)
    return isWritable ? memory : NSTemporaryDirectory()
  }()

  init() throws {
    path = Self.root + "/state-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }
}

extension InstalledApplication {
  /// An application of the tests, which is not in a registry.
  static func named(
    _ name: String, program: Program = .missing,
    actions: [QuickAction] = []
  ) throws -> InstalledApplication {
    let identifier = try #require(BundleIdentifier("com.example." + name))
    return InstalledApplication(
      declaration: ApplicationDeclaration(
        identifier: identifier, program: program, shortcutItems: actions),
      propertyList: "/nowhere/\(name).plist", folder: "/nowhere")
  }
}
