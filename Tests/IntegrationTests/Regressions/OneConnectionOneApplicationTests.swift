import BusContract
import Glibc
import LaunchServicesTesting
import Testing

/// Two check-ins that were under way at once on one connection were both accepted, so that one
/// process was two applications.
@Suite("Regression: two check-ins at once", .timeLimit(.minutes(30)))
struct OneConnectionOneApplicationTests {
  @Test("One connection is one application")
  func atOnce() async throws {
    try await Testbed.run(["--allow-unverified-check-in"]) { world in
      for identifier in ["com.example.one", "com.example.two"] {
        try await world.install(identifier, schemes: [String(identifier.suffix(3))])
      }
      let client = world.client
      // On the main actor, so that they are sent in this order.
      @MainActor func checkIn(_ identifier: String) -> Task<Refusal?, Never> {
        Task {
          do throws(Refusal) {
            _ = try await client.call(
              Contract.checkIn(CheckInOptions(bundleIdentifier: identifier)))
            return nil
          } catch {
            return error
          }
        }
      }
      let first = checkIn("com.example.one")
      let second = checkIn("com.example.two")
      let pid = getpid()
      #expect(await first.value == nil)
      #expect(
        await second.value
          == Refusal("AlreadyRunning", "com.example.one runs already, as process \(pid)"))
    }
  }
}
