import Foundation
import Testing

@testable import LaunchServicesTesting

/// What worlds of `lstest` have on the machine.
@MainActor enum WorldRemains {
  /// The folders of worlds in the folder for temporary files.
  static func worlds(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasPrefix("launch-services-") }
  }

  /// The command lines that contain a folder.
  static func commands(naming folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
      .compactMap { pid in
        guard let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") else {
          return nil
        }
        let command = String(decoding: line, as: UTF8.self).replacing("\0", with: " ")
        return command.contains(folder) ? command : nil
      }
  }

  /// Waits until no process and no folder of a world is left. Ends them when that does not happen.
  static func areGone(in folder: String) async throws {
    let leftovers = Leftovers(folder: folder, known: [])
    do {
      try await waitUntil("a machine without processes and folders of a world") {
        try leftovers.processes.isEmpty && worlds(in: folder).isEmpty
          && commands(naming: folder).isEmpty
      }
    } catch {
      try? await leftovers.end()
      throw error
    }
  }

  /// Waits until the stub of a scenario has a URL.
  static func stubHasURL(in folder: String) async throws {
    try await waitUntil("a stub that has the URL") {
      let log = worlds(in: folder).first.flatMap {
        FileManager.default.contents(atPath: "\(folder)/\($0)/stub-events")
      }
      return String(decoding: log ?? Data(), as: UTF8.self).contains("application:openURL")
    }
  }
}
