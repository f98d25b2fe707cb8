import LaunchServicesTesting
import Testing

@MainActor
@Suite(
  "lsregister desktop enable, refused",
  .enabled(
    if: Desktop.isInstalled("update-desktop-database"), "needs the package desktop-file-utils"),
  .timeLimit(.minutes(30)))
struct DesktopRefusalTests {
  @Test("a scheme that nobody handles changes nothing, also beside one that could be enabled")
  func unknownScheme() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      for scheme in ["nosuch", "photos"] {
        try await desktop.command(
          "lsregister", "desktop", "enable", scheme, "nosuch",
          complaint: "no application is registered for the scheme nosuch (OSStatus error -10814);"
            + " nothing was changed")
        #expect(try await desktop.command("lsregister", "desktop", "status") == ["disabled"])
        #expect(desktop.exported == [])
        #expect(desktop.contents(desktop.mimeApps) == nil)
      }
    }
  }
}
