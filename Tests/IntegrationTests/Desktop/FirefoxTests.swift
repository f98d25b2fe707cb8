import Foundation
import LaunchServicesTesting
import Testing

private let missing = [
  ("/usr/bin/firefox-esr", "firefox-esr"), ("/usr/bin/python3", "python3"),
  ("/usr/bin/update-desktop-database", "desktop-file-utils"),
].filter { !FileManager.default.isExecutableFile(atPath: $0.0) }.map(\.1).joined(separator: " ")

/// Firefox starts what opens a link with GIO, in a process that has lost its parent.
@MainActor
@Suite(
  "Links that are clicked in Firefox", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: missing.isEmpty, "needs the packages \(missing)"))
struct FirefoxTests {
  private static let schemes = ["custom", "tel"]

  /// Starts Firefox, which does not ask before it opens a link, and clicks one link of each scheme.
  private func clicks(
    in world: Testbed, _ body: (_ url: String) async throws -> Void
  ) async throws {
    let profile = world.folder + "/profile"
    try FileManager.default.createDirectory(atPath: profile, withIntermediateDirectories: true)
    let allowed = Self.schemes.map { "\"\($0)\":{\"action\":4}" }.joined(separator: ",")
    try "{\"defaultHandlersVersion\":{\"en-US\":4},\"mimeTypes\":{},\"schemes\":{\(allowed)}}"
      .write(toFile: profile + "/handlers.json", atomically: true, encoding: .utf8)
    var settings = [
      "marionette.port": "0", "security.external_protocol_requires_permission": "false",
      "datareporting.policy.dataSubmissionEnabled": "false",
      "browser.aboutwelcome.enabled": "false",
    ]
    for scheme in Self.schemes {
      settings["network.protocol-handler.external." + scheme] = "true"
      settings["network.protocol-handler.warn-external." + scheme] = "false"
    }
    try settings.map { "user_pref(\"\($0)\", \($1));\n" }.joined()
      .write(toFile: profile + "/user.js", atomically: true, encoding: .utf8)
    let page = world.folder + "/page.html"
    try Self.schemes.map { "<a id=\($0) href=\"\($0):1\">\($0)</a>" }.joined()
      .write(toFile: page, atomically: true, encoding: .utf8)
    let firefox = try world.startProcess(
      "/usr/bin/firefox-esr",
      ["--headless", "--marionette", "--no-remote", "--profile", profile, "about:blank"])
    let line = try await firefox.line(containing: "Listening on port ")
    let port = try #require(line.split(separator: " ").last.map(String.init))
    for scheme in Self.schemes {
      let click = try world.startProcess(
        "/usr/bin/python3",
        [Fixture.path("click-in-firefox.py"), port, "file://" + page, "#" + scheme])
      for step in ["connected", "shown", "clicked"] { try await click.line(containing: step) }
      try await body(scheme + ":1")
    }
    try await firefox.stop()
  }

  private func expectQuestions(
    in world: Testbed, _ handler: ScriptedHandler, _ agent: TestAgent
  ) async throws {
    try await clicks(in: world) { url in
      let question = try await agent.isAsked()
      #expect(question.url == url)
      #expect(question.origin == "web")
      #expect(question.opener == "@web")
      agent.answer(true)
      try await handler.next(.opened(url))
    }
  }

  @Test("The user is asked, where the desktop entry is an exported one") func exported()
    async throws
  {
    try await Desktop.run { world, desktop in
      let handler = try await world.install("com.example.handler", schemes: Self.schemes)
      try await world.exportToDesktop(Self.schemes)
      try await expectQuestions(in: world, handler, try await world.confirmationAgent())
    }
  }

  @Test("The user is asked, where the desktop entry says nothing") func ownEntry() async throws {
    try await Desktop.run { world, desktop in
      let handler = try await world.install("com.example.handler", schemes: Self.schemes)
      let lsopen = try #require(Example.program("lsopen"))
      try await desktop.install(
        "mine", schemes: Self.schemes, exec: "/usr/bin/env \(lsopen) %u")
      for scheme in Self.schemes { try desktop.setDefault(scheme, "mine") }
      try await expectQuestions(in: world, handler, try await world.confirmationAgent())
    }
  }
}
