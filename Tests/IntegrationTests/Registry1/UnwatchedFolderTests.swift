import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// What Linux does not tell of is found all the same, a little later.
@MainActor @Suite("Folders that cannot be watched", .timeLimit(.minutes(30)))
struct UnwatchedFolderTests {
  enum Limit: String, CaseIterable {
    case watches = "max_inotify_watches"
    case instances = "max_inotify_instances"
  }

  /// A user namespace has limits of its own.
  private nonisolated static func unshare(_ script: String) -> [String] {
    ["--user", "--map-current-user", "--keep-caps", "/bin/sh", "-c", script]
  }

  private nonisolated static let canLimit: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/unshare")
    process.arguments = unshare("echo 0 >/proc/sys/user/max_inotify_watches")
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(
    "are looked at now and then, also those that come later",
    .enabled(if: canLimit, "needs user namespaces"),
    arguments: Limit.allCases, [false, true])
  func looked(_ limit: Limit, isThere: Bool) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      if isThere {
        try FileManager.default.createDirectory(
          atPath: world.applicationsFolder, withIntermediateDirectories: true)
      }
      let program = try #require(Example.program("launchservicesd"))
      let daemon = try world.startProcess(
        "/usr/bin/unshare",
        Self.unshare(
          "echo 0 >/proc/sys/user/\(limit.rawValue)"
            + " && exec \(program) --fetch-associations no --look-interval 1"))
      try await daemon.line(containing: "ready")
      #expect(daemon.lines.contains { $0.contains("checked every 1 s") })
      try world.put(FolderChangeTests.application("photos"))
      try await world.client.registryChange()
      #expect(try await handlers(in: world, daemon).contains { $0.contains("com.example.photos") })
      try FileManager.default.removeItem(
        atPath: world.applicationsFolder + "/com.example.photos.app")
      try await world.client.registryChange()
      #expect(try await !handlers(in: world, daemon).contains { $0.contains("com.example.photos") })
      #expect(try await daemon.stop() == "exited with code 0")
    }
  }

  /// What `lsregister handlers photos` prints in the user namespace of the daemon: the kernel does not show the daemon
  /// the executables of processes outside, so that callers from there are refused.
  private func handlers(
    in world: Testbed, _ daemon: ObservedProcess
  ) async throws -> [String] {
    let program = try #require(Example.program("lsregister"))
    let lsregister = try world.startProcess(
      "/usr/bin/nsenter",
      [
        "--user", "--preserve-credentials", "--target", "\(daemon.pid)", program, "handlers",
        "photos",
      ])
    _ = try await lsregister.hasEnded()
    return lsregister.lines
  }
}
