import Foundation
import LaunchServicesTesting
import Testing

/// `lstest init`: what the scenario of a property list says and does.
@MainActor @Suite("lstest init", .timeLimit(.minutes(30)))
struct InitialiseTests {
  private static func list(_ schemes: String..., identifier: String = "com.acme.a") -> String {
    """
    <plist version="1.0"><dict>
    <key>CFBundleIdentifier</key><string>\(identifier)</string>
    <key>CFBundleURLTypes</key><array><dict>
    <key>CFBundleURLSchemes</key><array>\(schemes.map { "<string>\($0)</string>" }.joined())</array>
    </dict></array></dict></plist>
    """
  }

  private static func entitlements(_ domains: String...) -> String {
    """
    <plist version="1.0"><dict><key>com.apple.developer.associated-domains</key>
    <array>\(domains.map { "<string>\($0)</string>" }.joined())</array></dict></plist>
    """
  }

  /// Runs a script in a folder with files.
  private func run(
    _ script: String, files: [String: String]
  ) async throws -> ScenarioRunTests.Result {
    try await ScenarioRunTests.run(["shell", "--", "sh", "-c", script], files: files)
  }

  @Test(
    "a variable in a scheme is asked for, and the steps use it",
    arguments: [["$(APP_SCHEME)"], ["$(APP_SCHEME)", "fixed"], ["x-$(APP_SCHEME:lower)"]])
  func variable(_ schemes: [String]) async throws {
    let list = Self.list("PLACE").replacing(
      "<string>PLACE</string>", with: schemes.map { "<string>\($0)</string>" }.joined())
    let first = try await run(
      """
      lstest init Info.plist -o a.lstest.json; lstest run .; echo status $?
      grep -c '"APP_SCHEME" : null' a.lstest.json; grep '"open"' a.lstest.json
      lstest run . --define APP_SCHEME=rnapp-dev
      """, files: ["Info.plist": list])
    #expect(first.end == "exited with code 0", "\(first.lines)")
    #expect(first.lines.contains("status 65"), "\(first.lines)")
    #expect(
      first.lines.contains { $0.contains("needs a value of the build variable APP_SCHEME: ") })
    #expect(first.lines.contains("1"), "\(first.lines)")
    for scheme in schemes {
      let url = scheme + "://test"
      #expect(first.lines.contains { $0.contains("\"open\" : \"\(url)\"") }, "\(first.lines)")
      let given = url.replacing("$(APP_SCHEME)", with: "rnapp-dev")
        .replacing("$(APP_SCHEME:lower)", with: "rnapp-dev")
      #expect(first.lines.contains { $0.hasPrefix("  ok      open \(given)") }, "\(first.lines)")
    }
    #expect(first.lines.last == "\(schemes.count + 1) passed")
  }

  @Test("a value in the scenario in place of null gives the steps their URLs, too")
  func valueInScenario() async throws {
    let result = try await run(
      """
      lstest init Info.plist -o a.lstest.json && sed -i 's/"S" : null/"S" : "abc"/' a.lstest.json \\
        && lstest run .
      """, files: ["Info.plist": Self.list("$(S)")])
    #expect(result.end == "exited with code 0", "\(result.lines)")
    #expect(result.steps == ["  ok      application com.acme.a", "  ok      open abc://test"])
  }

  @Test("on standard output, a remark says from where the paths of the scenario begin")
  func standardOutput() async throws {
    let result = try await run(
      "lstest init ios/Info.plist >a.lstest.json && lstest run .; pwd",
      files: ["ios/Info.plist": Self.list("a")])
    let folder = try #require(result.lines.last)
    #expect(
      result.lines.first
        == "lstest: relative paths in this scenario begin at \(folder): save it in this"
        + " folder, or write it with --output FILE")
    #expect(result.steps == ["  ok      application com.acme.a", "  ok      open a://test"])
  }

  @Test("an associated domain whose mode does not count has no step, and a remark says why")
  func modes() async throws {
    let result = try await run(
      "lstest init Info.plist -o a.lstest.json; lstest run .",
      files: [
        "Info.plist": Self.list("a"),
        "A.entitlements": Self.entitlements(
          "applinks:*.acme.com?mode=developer", "applinks:plain.com", "applinks:*.wild.com"),
      ])
    #expect(result.end == "exited with code 0", "\(result.lines)")
    #expect(
      result.lines.contains(
        "lstest: applinks:*.acme.com?mode=developer of com.acme.a has no step: an entry with this mode counts"
          + " only with the setting DeveloperLinks"), "\(result.lines)")
    #expect(
      result.steps == [
        "  ok      application com.acme.a", "  ok      open a://test",
        "  ok      click https://plain.com/test", "  ok      click https://www.wild.com/test",
      ])
  }

  @Test("variables of queries and of associated domains are asked for, and no example is written")
  func otherVariables() async throws {
    let list = Self.list("a").replacing(
      "<key>CFBundleURLTypes",
      with: "<key>LSApplicationQueriesSchemes</key><array><string>$(OTHER)</string></array>"
        + "<key>CFBundleURLTypes")
    let result = try await run(
      """
      lstest init Info.plist -o a.lstest.json; grep -c com.example a.lstest.json
      lstest run .; echo status $?
      lstest run . --define OTHER=b --define DOMAIN=acme.com; echo status $?
      """,
      files: ["Info.plist": list, "A.entitlements": Self.entitlements("applinks:$(DOMAIN)")])
    for name in ["OTHER", "DOMAIN"] {
      #expect(
        result.lines.contains { $0.contains("needs a value of the build variable \(name): ") },
        "\(name): \(result.lines)")
    }
    #expect(
      result.lines.contains {
        $0.hasPrefix("lstest: applinks:")
          && $0.hasSuffix("has no step: a build variable has no value")
      }, "\(result.lines)")
    #expect(result.lines.contains("0"), "\(result.lines)")
    #expect(
      result.lines.contains("status 65") && result.lines.last == "status 0", "\(result.lines)")
    #expect(result.steps.contains("  ok      can-open b://test as com.acme.a"), "\(result.lines)")
  }

  @Test("applications that claim one scheme and one site have steps of their own")
  func sharedClaims() async throws {
    let result = try await run(
      "lstest init source -o a.lstest.json; lstest run .",
      files: [
        "source/A/Info.plist": Self.list("shared"),
        "source/A/A.entitlements": Self.entitlements("applinks:acme.com"),
        "source/B/Info.plist": Self.list("shared", identifier: "com.acme.b"),
        "source/B/B.entitlements": Self.entitlements("applinks:acme.com"),
      ])
    #expect(result.end == "exited with code 0", "\(result.lines)")
    #expect(
      result.lines.contains(
        "lstest: com.acme.a and com.acme.b claim the scheme shared: each step names its application with \"with\""
      ),
      "\(result.lines)")
    #expect(
      result.steps.filter { !$0.contains(" application ") } == [
        "  ok      open shared://test with com.acme.a",
        "  ok      click https://acme.com/com.acme.a/test",
        "  ok      open shared://test with com.acme.b",
        "  ok      click https://acme.com/com.acme.b/test",
      ], "\(result.lines)")
  }

  @Test("a scheme without a step has a remark that says why, and a query of https has a step")
  func schemesWithoutStep() async throws {
    let list = Self.list("a", "https", "file", "1inch").replacing(
      "<key>CFBundleURLTypes",
      with: "<key>LSApplicationQueriesSchemes</key><array><string>https</string>"
        + "<string>2go</string><string>data</string></array><key>CFBundleURLTypes")
    let result = try await run(
      "lstest init Info.plist -o a.lstest.json; lstest run .", files: ["Info.plist": list])
    #expect(result.end == "exited with code 0", "\(result.lines)")
    let remarks = result.lines.filter { $0.contains("has no step: ") }.map {
      $0.split(separator: "has no step")[0]
    }
    #expect(
      remarks == [
        "lstest: CFBundleURLTypes[0].CFBundleURLSchemes[3] of com.acme.a ",
        "lstest: the scheme https of com.acme.a ", "lstest: the scheme file of com.acme.a ",
        "lstest: the query of the scheme 2go of com.acme.a ",
        "lstest: the query of the scheme data of com.acme.a ",
      ], "\(result.lines)")
    #expect(
      result.steps == [
        "  ok      application com.acme.a", "  ok      open a://test",
        "  ok      can-open https://example.com/test as com.acme.a",
      ])
  }

  @Test("a misspelt key is shown by run")
  func misspeltKey() async throws {
    let list = Self.list("a").replacing("CFBundleURLTypes", with: "CFBundleURLType")
    let result = try await run(
      "lstest init Info.plist -o a.lstest.json; lstest run .", files: ["Info.plist": list])
    #expect(
      result.lines.contains {
        $0.contains("unknown key CFBundleURLType: did you mean CFBundleURLTypes?")
      }, "\(result.lines)")
  }

  @Test("several entitlements beside a property list are a remark, until one is named")
  func rivalEntitlements() async throws {
    let files = [
      "A/Info.plist": Self.list("a"), "A/Debug.entitlements": Self.entitlements("applinks:a.com"),
      "A/Release.entitlements": Self.entitlements("applinks:b.com"),
    ]
    let unsaid = try await run("lstest init A/Info.plist", files: files)
    #expect(
      unsaid.lines.contains { $0.contains("Info.plist has several entitlements beside it, so ") })
    let named = try await run(
      "lstest init A/Info.plist --team TEAM123456 --define CODE_SIGN_ENTITLEMENTS=$PWD/A/Release.entitlements",
      files: files)
    #expect(!named.lines.contains { $0.contains("several entitlements") }, "\(named.lines)")
    #expect(named.lines.contains { $0.contains("https://b.com/") }, "\(named.lines)")
  }
}
