import LaunchRules
import PropertyLists
import Testing

@Suite("LaunchServicesHandOver") struct HandOverReadingTests {
  private static let executable = "<key>CFBundleExecutable</key><string>App</string>"
  private static let arguments =
    "<key>ProgramArguments</key><array><string>bin/app</string><string>-v</string></array>"
  private static let words =
    "<key>LaunchServicesHandOver</key><array><string>tauri</string>"
    + "<string>com.example.app.SingleInstance</string></array>"

  private func program(_ keys: String) -> [String]? {
    let reading = readApplication(keys, at: "/apps/My.plist")
    #expect(reading.diagnostics.isEmpty, "\(reading.report)")
    guard case .arguments(let arguments)? = reading.declaration?.program else { return nil }
    return arguments
  }

  @Test("has the application started by the bridge") func handOver() throws {
    #expect(
      program(Self.words + Self.arguments) == [
        "launchservices-desktop", "--application=com.example.app", "--hand-over=tauri",
        "--hand-over=com.example.app.SingleInstance", "--program", "/apps/bin/app", "-v",
      ])
    // Without a command line, that of the desktop entry counts.
    #expect(
      program(Self.words) == [
        "launchservices-desktop", "--application=com.example.app.desktop", "--hand-over=tauri",
        "--hand-over=com.example.app.SingleInstance",
      ])
    let declaration = try #require(
      readApplication(Self.words + Self.arguments, at: "/apps/My.plist").declaration)
    #expect(declaration.handOver?.words == ["tauri", "com.example.app.SingleInstance"])
    #expect(declaration.prohibitsMultipleInstances)
    #expect(declaration.activationPolicy == .accessory)
    // The arguments of the program are none of the bridge.
    let arguments =
      "<key>ProgramArguments</key><array><string>/a</string><string>--hand-over=x</string></array>"
    let other = readApplication(Self.words + arguments, at: "/apps/My.plist").declaration
    #expect(other?.handOver == declaration.handOver)
    #expect(
      readApplication(Self.arguments, at: "/apps/My.plist").declaration?.handOver == nil)
  }

  @Test(
    "is ignored with a warning when it cannot be used",
    arguments: [
      (
        "<key>LaunchServicesHandOver</key><string>tauri</string>", true,
        "\"tauri\" is no protocol with its place"
      ),
      ("<key>DBusActivatable</key><true/>", true, "contradicts DBusActivatable"),
      ("", false, "needs ProgramArguments, not CFBundleExecutable"),
    ])
  func unusableHandOver(_ key: String, _ hasArguments: Bool, _ problem: String) {
    let words = key.contains("HandOver") ? "" : Self.words
    let reading = readApplication(
      key + words + (hasArguments ? Self.arguments : Self.executable), at: "/apps/My.plist")
    #expect(reading.declaration?.handOver == nil)
    #expect(reading.declaration?.isDesktopBridge == false)
    #expect(reading.diagnostics.map(\.problem) == [problem])
    #expect(reading.diagnostics.map(\.keyPath) == ["LaunchServicesHandOver"])
  }
}
