import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// Without descriptors the listening socket was announced again and again, and a caller of whom nothing
/// could be read passed for a shell.
@Suite("Regression: no descriptors are left", .timeLimit(.minutes(30)))
struct DescriptorShortageTests {
  @MainActor private func allow(_ limit: String, _ world: Testbed) async throws {
    let prlimit = try world.startProcess(
      "prlimit", ["--pid", "\(world.daemon.pid)", "--nofile=\(limit):"])
    #expect(try await prlimit.hasEnded() == "exited with code 0")
  }

  /// The lowest number that is free: as a limit it leaves none.
  @MainActor private func lowestFree(_ world: Testbed) throws -> Int {
    let open = Set(
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(world.daemon.pid)/fd")
        .compactMap { Int($0) })
    return try #require((0...).first { !open.contains($0) })
  }

  @Test("Connections are turned away, and callers that cannot be read are refused with the reason")
  func shortage() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let socket = try await DirectTests.socket(of: world)
      let stranger = try await world.newClient()
      try await world.client.ping()
      try await allow("\(try lowestFree(world))", world)

      let busy = try DirectTests.clockTicks(world.daemon.pid)
      for _ in 0..<20 { #expect(throws: BusError.self) { _ = try Connection(socket: socket) } }
      let refusal = await #expect(throws: Refusal.self) { try await stranger.canOpen("photos:") }
      #expect(refusal?.name == "org.freedesktop.DBus.Error.AccessDenied")
      #expect(refusal?.text.contains("the daemon has run out of file descriptors") == true)
      for _ in 0..<10 { try await Task.sleep(for: .milliseconds(50)) }
      #expect(try DirectTests.clockTicks(world.daemon.pid) - busy < 25)

      try await allow("1024", world)
      #expect(try await stranger.canOpen("photos:") == false)
      _ = try Connection(socket: socket)
      let lines = world.daemon.lines.filter { $0.contains("no free file descriptors") }
      #expect(lines.count == 1)
    }
  }
}
