import Foundation
import LaunchServicesTesting
import Testing

/// Links of pages that reach the opener on ways on which no browser is above it.
@MainActor @Suite("Attack: a page that opens without a question", .timeLimit(.minutes(30)))
struct AttackWebOriginTests {
  private static let handler = "com.example.handler"
  private static let schemes = ["tel", "facetime", "custom"]

  /// How the link gets from the browser to the opener, and what is in its environment.
  struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    var environment: [String: String] = [:]
    var isAtTerminal = false

    var testDescription: String {
      ([name] + environment.keys.sorted() + (isAtTerminal ? ["at a terminal"] : []))
        .joined(separator: ", ")
    }
  }

  nonisolated static let ways = [
    Way(name: "double-fork"), Way(name: "double-fork", isAtTerminal: true), Way(name: "setsid"),
    Way(name: "ended", environment: ["MOZ_CRASHREPORTER_EVENTS_DIRECTORY": "/p/events"]),
    Way(name: "ended", environment: ["CHROME_DESKTOP": "chromium.desktop"]),
    Way(name: "ended", environment: ["MOZ_LAUNCHED_CHILD": ""], isAtTerminal: true),
  ]

  private func run(
    _ body: (Testbed, ScriptedHandler, TestAgent) async throws -> Void
  ) async throws {
    try await Testbed.run { world in
      let handler = try await world.install(Self.handler, schemes: Self.schemes)
      try await body(world, handler, try await world.confirmationAgent())
    }
  }

  /// Starts a command as a browser starts it for a link.
  private func click(
    _ way: Way, _ program: String, _ arguments: [String], in world: Testbed
  ) throws -> ObservedProcess {
    let browser = try Self.copy("python3", as: "firefox-esr", in: world)
    let command =
      [browser, Fixture.path("web-page.py"), way.name, try #require(Example.program(program))]
      + arguments
    guard way.isAtTerminal else {
      return try world.startProcess(
        browser, Array(command.dropFirst()), environment: way.environment)
    }
    // The terminal stays when the browser has ended.
    return try atTerminal(
      "\"$@\"; sleep 600", command, environment: way.environment, in: world)
  }

  /// Runs a script in a shell that leads the session of a terminal.
  private func atTerminal(
    _ script: String, _ arguments: [String], environment: [String: String] = [:], in world: Testbed
  ) throws -> ObservedProcess {
    try world.startProcess(
      "/usr/bin/python3",
      [Fixture.path("at-terminal.py"), "-", "/bin/sh", "-c", script, "sh"] + arguments,
      environment: environment)
  }

  private static func copy(
    _ program: String, as name: String, in world: Testbed
  ) throws -> String {
    let copy = (world.environment["HOME"] ?? "") + "/" + name
    if !FileManager.default.fileExists(atPath: copy) {
      let program = URL(filePath: "/usr/bin/" + program).resolvingSymlinksInPath().path
      try FileManager.default.copyItem(atPath: program, toPath: copy)
    }
    return copy
  }

  private func expectQuestion(_ scheme: String, to agent: TestAgent) async throws {
    let question = try await agent.isAsked()
    #expect(question.scheme == scheme)
    #expect(question.origin == "web")
    #expect(question.opener == "@web")
    agent.answer(false)
  }

  @Test("D1 The user is asked, on whatever way the link came", arguments: ways)
  func asked(_ way: Way) async throws {
    try await run { world, handler, agent in
      for scheme in Self.schemes {
        let click = try click(way, "lsopen", [scheme + ":1"], in: world)
        try await expectQuestion(scheme, to: agent)
        try await click.stop()
      }
      #expect(handler.pids.isEmpty)
    }
  }

  @Test("The name of an application takes no question away") func named() async throws {
    try await run { world, _, agent in
      try await world.install("com.example.friend")
      let allow = try world.startProcess(
        "lsregister",
        ["approvals", "allow", "custom", Self.handler, "--opener", "com.example.friend"])
      #expect(try await allow.hasEnded() == "exited with code 0")
      let click = try click(
        Way(name: "double-fork"), "lsopen", ["--as", "com.example.friend", "custom:1"], in: world)
      try await expectQuestion("custom", to: agent)
      _ = try await click.hasEnded()
    }
  }

  @Test("--explain says so, and why") func explained() async throws {
    try await run { world, _, _ in
      let click = try click(
        Way(name: "double-fork"), "lsopen", ["--explain", "custom:1"], in: world)
      let line = try await click.line(containing: "confirmation")
      #expect(
        line.contains("from a web page (the process that started the caller has ended, and "),
        "\(line)")
      #expect(
        line.hasSuffix(
          "runs beside it): the user is asked (row custom-web of the setting Confirmations)"),
        "\(line)")
    }
  }

  @Test("Who says that a link is opened is asked about it, also at a terminal")
  func fromLink() async throws {
    try await run { world, _, agent in
      for scheme in Self.schemes {
        let lsopen = try #require(Example.program("lsopen"))
        let click = try atTerminal(
          "\"$@\"; :", [lsopen, "--from-link", scheme + ":1"], in: world)
        try await expectQuestion(scheme, to: agent)
        _ = try await click.hasEnded()
        let explain = try world.startProcess(
          "lsopen", ["--explain", "--from-link", scheme + ":1"])
        let line = try await explain.line(containing: "confirmation")
        #expect(
          line.contains(
            "from a web page (the caller declared that the URL is a link): the"
              + " user is asked"), "\(line)")
      }
    }
  }

  @Test("What a user types is not asked about, though a browser runs at the same terminal")
  func typed() async throws {
    try await run { world, handler, _ in
      let browser = try Self.copy("sleep", as: "firefox-esr", in: world)
      let lsopen = try #require(Example.program("lsopen"))
      let typed = try atTerminal(
        "\"$1\" 600 & \"$2\" --no-ask custom:1; echo status $?; kill $!", [browser, lsopen],
        environment: ["MOZ_LAUNCHED_CHILD": ""], in: world)
      #expect(try await typed.line(containing: "status") == "status 0", "\(typed.lines)")
      #expect(handler.heard().contains(.opened("custom:1")))
      _ = try await typed.hasEnded()
    }
  }

  @Test("What only may come from a page takes no right to answer away") func answers() async throws
  {
    try await run { world, _, _ in
      let settle = try click(
        Way(name: "double-fork"), "lsregister", ["approvals", "allow", "custom", Self.handler],
        in: world)
      _ = try await settle.hasEnded()
      let list = try world.startProcess("lsregister", ["approvals", "list"])
      #expect(try await list.hasEnded() == "exited with code 0")
      #expect(list.lines == ["allow  *  custom  \(Self.handler)"])
    }
  }
}
