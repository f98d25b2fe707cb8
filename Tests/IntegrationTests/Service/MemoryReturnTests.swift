import BusContract
import DBus
import LaunchServicesTesting
import Testing

@MainActor @Suite("A daemon with nothing to do", .timeLimit(.minutes(30)))
struct MemoryReturnTests {
  @Test("gives back the memory that a burst has taken") func memory() async throws {
    try await Testbed.run(["--log-level", "info"]) { world in
      try await BulkReloadTests.fill(world.applicationsFolder, "crowd")
      try await world.client.reload()
      for _ in 0..<5 { _ = try await world.client.applications() }
      try await world.daemon.line(containing: "idle: returned unused memory to the system")
      #expect(try await world.client.handlers("crowd").count == BulkReloadTests.count)
    }
  }
}
