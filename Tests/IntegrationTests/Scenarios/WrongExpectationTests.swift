import Testing

@testable import LaunchServicesTesting

/// Expectations of scenarios that must fail, because something else happens, and their counterparts.
@MainActor @Suite("lstest: expectations", .timeLimit(.minutes(30)))
struct WrongExpectationTests {
  private static func editor(_ identifier: String, _ type: String) -> String {
    """
    {"plist": {"CFBundleIdentifier": "\(identifier)", "CFBundleDocumentTypes": [
      {"CFBundleTypeRole": "Editor", "LSItemContentTypes": ["\(type)"]}]}, "platform": "macos"}
    """
  }

  @Test("all results of several documents are compared") func documents() async throws {
    let result = try await ScenarioRunTests.run(
      ["run", "."],
      files: [
        "main.swift": "print(1)", "a.txt": "text",
        "a.lstest.json": """
        {"applications": [\(Self.editor("com.example.swift", "public.swift-source")),
          \(Self.editor("com.example.text", "public.plain-text"))],
        "steps": [
        {"name": "one handler", "open-documents": ["main.swift", "a.txt"], "expect": "com.example.swift"},
        {"name": "an error", "open-documents": ["main.swift", "missing.swift"],
          "expect": {"error": "NoSuchFile"}},
        {"name": "another error", "open-documents": ["missing.swift"],
          "expect": {"error": "ApplicationNotFound"}},
        {"name": "nothing arrives", "open-documents": ["a.txt"], "expect": {"receives": []}},
        {"name": "right", "open-documents": ["main.swift", "a.txt"]},
        {"name": "right error", "open-documents": ["missing.swift"], "expect": {"error": "NoSuchFile"}},
        {"name": "right error of all", "open-documents": ["a.txt"], "with": "com.example.nobody",
          "expect": {"error": "ApplicationNotFound"}}
        ]}
        """,
      ])
    #expect(result.lines.last == "5 passed, 4 failed", "\(result.lines.joined(separator: "\n"))")
    #expect(
      result.failure(of: "one handler").first?.contains(
        "expected the application com.example.swift, got com.example.text") == true)
    #expect(
      result.failure(of: "an error").first?.contains(
        "expected the error NoSuchFile, but com.example.swift got it") == true)
    #expect(
      result.failure(of: "another error").first?.contains(
        "expected the error ApplicationNotFound, got NoSuchFile: ") == true)
    #expect(
      result.failure(of: "nothing arrives").first?.contains("expected nothing to arrive, got file:")
        == true)
  }

  @Test("the case of identifiers does not count") func identifiers() async throws {
    let result = try await ScenarioRunTests.run(
      ["run", "."],
      files: [
        "a.lstest.json": """
        {"applications": [\(ScenarioRunTests.application("com.example.Photos", ["photos"])),
          \(ScenarioRunTests.application("com.example.mail", [], #", "team": "EXAMPLE123""#))],
        "steps": [
          {"open": "photos:1", "expect": "COM.example.photos"},
          {"kill": "com.example.photos"},
          {"open": "photos:2", "expect": {"launch": "cold"}},
          {"open": "photos:3", "expect": "com.example.photo"}]}
        """
      ])
    #expect(result.lines.last == "5 passed, 1 failed", "\(result.lines)")
    #expect(
      result.failure(of: "open photos:3").first
        == "a.lstest.json:7: expected the application com.example.photo, got com.example.Photos")
  }

  @Test("a step that was not performed is skipped, whatever its name") func skipped() async throws {
    let result = try await ScenarioRunTests.run(
      ["run", "."],
      files: [
        "a.lstest.json": """
        {"define": {"ID": null},
         "applications": [\(ScenarioRunTests.application("$(ID)", ["photos"]))],
         "steps": [{"open": "photos:1", "name": "scenario"}]}
        """
      ])
    #expect(result.end == "exited with code 65")
    #expect(result.steps.last == "  skipped scenario: an earlier step ended the scenario")
  }
}
