import Testing

@testable import LaunchServicesTesting

/// The files that a scenario names.
@MainActor @Suite("lstest: files of a scenario", .timeLimit(.minutes(30)))
struct ScenarioNamedFileTests {
  private static let application = ScenarioRunTests.application("com.example.a", ["a"])

  /// The problems that `lstest` prints.
  private func problems(
    _ verb: String, _ scenario: String, _ files: [String: String] = [:]
  ) async throws -> [String] {
    var files = files
    files["a.lstest.json"] = scenario
    let result = try await ScenarioRunTests.run([verb, "a.lstest.json"], files: files)
    #expect(result.end == "exited with code 65", "\(result.lines)")
    return result.failures
  }

  @Test(
    "files that cannot be read are errors of check and run, at the line of their key",
    arguments: ["check", "run"])
  func missing(verb: String) async throws {
    let problems = try await problems(
      verb,
      """
      {"applications": [
        {"plist":
          "/nonexistent/Info.plist"},
        {"plist": "Info.plist",
         "entitlements": "/nonexistent/a"},
        {"plist": "Info.plist",
         "program": "/nonexistent/b"},
        {
         "xcode": "/nonexistent/c.xcodeproj"},
        {"plist": "Info.plist",
         "xcconfig": "/nonexistent/d"},
        "broken.plist"],
       "sites": {
         "example.com": "/nonexistent/e"},
       "steps": [{"open": "a:1"}]}
      """,
      [
        "Info.plist":
          "<plist><dict><key>CFBundleIdentifier</key><string>a.b</string></dict></plist>",
        "broken.plist": "<plist>\n<dict><key>a</key>",
      ])
    let none = "cannot open it: No such file or directory (error 2)"
    try #require(problems.count == 7, "\(problems)")
    #expect(
      problems.prefix(5) == [
        "a.lstest.json:2: applications[0].plist: cannot be read: /nonexistent/Info.plist: \(none)",
        "a.lstest.json:5: applications[1].entitlements: cannot be read: /nonexistent/a: \(none)",
        "a.lstest.json:7: applications[2].program: '/nonexistent/b' is not a program that can be run; build it, or"
          + " correct its path",
        "a.lstest.json:9: applications[3].xcode: The file /nonexistent/c.xcodeproj/project.pbxproj does not exist.",
        "a.lstest.json:11: applications[4].xcconfig: The file /nonexistent/d does not exist.",
      ])
    #expect(problems[5].hasPrefix("a.lstest.json:12: applications[5].plist: "))
    #expect(problems[6] == "a.lstest.json:14: sites.example.com: /nonexistent/e: \(none)")
  }

  @Test("a program without a slash is one of PATH, and the error tells how to name another")
  func programOfPath() async throws {
    let problems = try await problems(
      "check",
      """
      {"applications": [{"plist": {"CFBundleIdentifier": "a.b"}, "program": "nosuchprogram"}],
       "steps": [{"open": "a:1"}]}
      """, [:])
    #expect(
      problems == [
        "a.lstest.json:1: applications[0].program: 'nosuchprogram' is not a program in PATH; install it, or write"
          + " './nosuchprogram' for a file in the folder of the scenario"
      ])
  }

  @Test(
    "a site file that says nothing about links is an error, at the line of its key",
    arguments: [
      (
        "{\"applinks\":\n 5}",
        "1: sites.example.com: applinks: is a number, but must be an object; it was ignored"
      ),
      (
        "{}",
        "1: sites.example.com: it has no \"applinks\"; no application receives links because of this file"
      ),
      (
        "{\n\"applinks\": {}}",
        "2: sites.example.com: applinks.details: is missing; no application receives links because of this file"
      ),
      (
        "{\"applinks\": {\n\"details\": 5}}",
        "2: sites.example.com: applinks.details: is a number, but must be an array; it was ignored"
      ),
      (
        "<!DOCTYPE html>\n<html></html>",
        "1:1: sites.example.com: it is an HTML page, not JSON; the file is refused: serve the JSON file at this"
          + " address, before the rule that answers with a page"
      ),
    ])
  func site(text: String, problem: String) async throws {
    for verb in ["check", "run"] {
      let scenario = """
        {"applications": [\(Self.application)], "sites": {"example.com": "site.json"}, "steps": [{"open": "a:1"}]}
        """
      #expect(
        try await problems(verb, scenario, ["site.json": text]) == ["site.json:\(problem)"])
    }
  }

  @Test("the mistakes of what is written in the scenario have their lines") func inline()
    async throws
  {
    #expect(
      try await problems(
        "run",
        """
        {"applications": [\(Self.application)], "steps": [{"open": "a:1"}],
         "sites": {"example.com":
           {"applinks":
             {"details": 5}}}}
        """) == [
          "a.lstest.json:4: sites.example.com.applinks.details: is a number, but must be an array; it was ignored"
        ])
    let result = try await ScenarioRunTests.run(
      ["run", "."],
      files: [
        "a.lstest.json": """
        {"applications": [
          {"plist": {"CFBundleIdentifier": "com.example.a", "CFBundleURLTypes": [
             {"CFBundleURLSchemes": [
               "a",
               "b://"]}]},
           "entitlements": {
             "com.apple.developer.associated-domains": ["applinks:https://a.com"]}},
          {"plist": {"CFBundleIdentifier": "com.example.b"}, "entitlements": "b.entitlements",
            "team": "EXAMPLE123"}],
         "steps": [{"open": "a:1"}]}
        """,
        "b.entitlements": """
        <plist><dict>
        <key>com.apple.developer.associated-domains</key>
        <array><string>applinks:https://a.com</string></array></dict></plist>
        """,
      ])
    #expect(result.end == "exited with code 0")
    let starts = [
      "a.lstest.json:5: warning: CFBundleURLTypes[0].CFBundleURLSchemes[1]: ",
      "a.lstest.json:7: warning: com.apple.developer.associated-domains[0]: ",
      "b.entitlements:3: warning: com.apple.developer.associated-domains[0]: ",
    ]
    for start in starts {
      #expect(result.failures.contains { $0.hasPrefix(start) }, "\(result.lines)")
    }
  }

  @Test("an old-style property list is refused with advice")
  func oldStyle() async throws {
    #expect(
      try await problems(
        "check", #"{"applications": ["a.plist"], "steps": [{"open": "a:1"}]}"#,
        ["a.plist": "{ CFBundleIdentifier = a; }"]
      ).first?.hasSuffix(
        "a.plist: the file looks like JSON or an old-style property list: convert it with \"plutil -convert xml1\""
      )
        == true)
  }

  @Test("a check that the machine prevents has the status of an action that failed") func unable()
    async throws
  {
    let files = [
      "a.lstest.json": "{\"applications\": [\(Self.application)], \"steps\": [{\"open\": \"a:1\"}]}"
    ]
    let result = try await ScenarioRunTests.run(
      ["shell", "--", "sh", "-c", "TMPDIR=/proc/sys exec lstest check a.lstest.json"], files: files)
    #expect(result.end == "exited with code 4")
    #expect(
      result.lines.contains { $0.hasPrefix("lstest: a.lstest.json cannot be checked: /proc/sys/") },
      "\(result.lines)")
  }

  @Test("an empty behaviour is a stand-in that accepts everything") func behaviour() async throws {
    let program = #", "behaviour": []"#
    let result = try await ScenarioRunTests.run(
      ["run", "."],
      files: [
        "a.lstest.json": """
        {"applications": [\(ScenarioRunTests.application("com.example.a", ["a"], program))],
         "steps": [{"open": "a:1", "expect": {"callback": "application:openURL"}}]}
        """
      ])
    #expect(result.lines.last == "2 passed", "\(result.lines)")
  }
}
