import Foundation
import LaunchServicesTesting
import Testing

extension Testbed {
  /// Makes our handlers the desktop's own, as a user does.
  func exportToDesktop(_ schemes: [String]) async throws {
    let enable = try startProcess("lsregister", ["desktop", "enable"] + schemes)
    try #require(try await enable.hasEnded() == "exited with code 0", "\(enable.lines)")
  }
}
