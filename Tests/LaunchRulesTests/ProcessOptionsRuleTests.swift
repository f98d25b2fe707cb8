import LaunchRules
import Testing

@Suite("Options that the process of an application cannot have") struct ProcessOptionsRuleTests {
  /// - Parameter origin: of an application that the desktop bridge starts.
  private func application(
    _ origin: InstalledApplication.Origin
  ) throws -> InstalledApplication {
    let entry = try #require(HandOverTable.Entry(["tauri", "com.example.Photos.SingleInstance"]))
    var application = Sample.app("photos", on: .macOS)
    application.origin = origin
    application.declaration.program = .arguments(
      DesktopBridge.command(for: "photos", entry, program: ["/usr/bin/photos"]))
    return application
  }

  @Test("are refused with the name of what starts the program") func starter() throws {
    #expect(
      try ProcessOptionsRule.objectionToWaiting(for: application(.desktopEntry))
        == "photos is started by its desktop entry, so the end of the application is not known")
    #expect(
      try ProcessOptionsRule.objectionToWaiting(for: application(.propertyList))
        == "photos is started by the hand-over of its property list (LaunchServicesHandOver), so the end"
        + " of the application is not known")
    #expect(ProcessOptionsRule.objectionToWaiting(for: Sample.app("photos", on: .macOS)) == nil)
  }

  @Test(
    "arguments are refused, and streams are, also without the other",
    arguments: [(true, false), (false, true), (true, true), (false, false)])
  func lost(_ arguments: Bool, _ streams: Bool) throws {
    let refusal = try ProcessOptionsRule.refusal(
      arguments: arguments, streams: streams, newInstance: false, waits: false,
      for: application(.desktopEntry))
    let expected =
      arguments || streams
      ? "photos is started by its desktop entry, which has no place for"
        + " \(arguments ? "arguments" : "standard streams") of an opener: start the program itself,"
        + " or register a property list for it" : nil
    #expect(refusal == expected.map(OpenFailure.launchFailed))
  }
}
