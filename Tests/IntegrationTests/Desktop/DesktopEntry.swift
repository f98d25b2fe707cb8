import Foundation
import LaunchServicesTesting
import Testing

extension Testbed {
  /// Makes our handlers the desktop's own, as a user does.
  func exportToDesktop(_ schemes: [String]) async throws {
    let enable = try startProcess("lsregister", ["desktop", "enable"] + schemes)
    try #require(try await enable.hasEnded() == "exited with code 0", "\(enable.lines)")
  }

  /// The user has allowed for good that anybody opens URLs of the scheme with the application.
  func allow(_ scheme: String, _ application: String) async throws {
    let allow = try startProcess("lsregister", ["approvals", "allow", scheme, application])
    try #require(try await allow.hasEnded() == "exited with code 0", "\(allow.lines)")
  }
}
