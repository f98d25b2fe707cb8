import Foundation
import LaunchServicesTesting
import Testing

/// The Debian package of the tool's library.
enum LoginTool {
  /// Why the tool cannot run; nil when it can.
  static let problem: String? =
    FarMachine.problem
    ?? (FileManager.default.fileExists(
      atPath: "/usr/lib/python3/dist-packages/google_auth_oauthlib")
      ? nil : "needs the package python3-google-auth-oauthlib")
}

/// A command-line tool on another machine logs in with the browser of this machine.
@MainActor
@Suite(
  "The login of a tool on another machine",
  .enabled(if: LoginTool.problem == nil, "\(LoginTool.problem ?? "")"), .timeLimit(.minutes(30)))
struct LoginTests {
  /// Starts the tool, and returns the page that the browser was to show.
  private func logIn(
    _ world: Testbed, _ far: FarMachine
  ) async throws -> (page: String, tool: ObservedProcess) {
    let browser = try await world.installBrowser()
    let provider = try world.startProcess(
      "/usr/bin/python3", [Fixture.path("identity-provider.py"), far.nearAddress])
    let port = try await provider.line(containing: "port ").dropFirst("port ".count)
    let site = "http://login.example.org:\(port)"
    let address = "http://\(far.nearAddress):\(port)"
    let tool = try far.start(
      "lsopen", ["ssh", "far", "python3", try far.copy("login-tool.py"), site, address])
    var opened: String?
    while opened == nil {
      if case .opened(let urls) = try await browser.next() { opened = urls.first?.url }
    }
    let page = try #require(opened)
    // No server of names knows the site.
    return (page.replacing(site, with: address), tool)
  }

  /// What a browser does: follows the redirections. Prints the status, or the error.
  private func browse(_ page: String, _ world: Testbed) async throws -> String {
    let script = """
      import sys, urllib.error, urllib.request
      try:
          print(urllib.request.urlopen(sys.argv[1]).status)
      except urllib.error.URLError as error:
          print(error.reason)
      """
    let process = try world.startProcess("/usr/bin/python3", ["-c", script, page])
    _ = try await process.hasEnded()
    return process.lines.first ?? ""
  }

  @Test("reaches its end when callbacks are allowed for the machine") func allowed() async throws {
    try await FarMachine.run(hasNetwork: true) { world, far in
      for words in [["add", "far"], ["allow-callback", "far"]] {
        let (lines, end) = try await far.run("lsregister", ["remote"] + words)
        #expect(end == "exited with code 0", "\(lines)")
      }
      let (page, tool) = try await logIn(world, far)
      #expect(try await browse(page, world) == "200")
      #expect(try await tool.hasEnded() == "exited with code 0")
      #expect(tool.lines.last == "logged in with token-for-the-code")
      try await world.daemon.line(containing: "a login callback is forwarded to the remote")
    }
  }

  /// The callback in the URL of the page: a port of this machine.
  private func callback(in page: String) throws -> String {
    let items = URLComponents(string: page)?.queryItems ?? []
    return try #require(items.first { $0.name == "redirect_uri" }?.value)
  }

  private func allowCallbacks(_ far: FarMachine) async throws {
    for words in [["add", "far"], ["allow-callback", "far"]] {
      let (lines, end) = try await far.run("lsregister", ["remote"] + words)
      #expect(end == "exited with code 0", "\(lines)")
    }
  }

  @Test("forwards no port for a page that the user declines") func declined() async throws {
    try await FarMachine.run(hasNetwork: true) { world, far in
      try await allowCallbacks(far)
      _ = try await world.installBrowser()
      let agent = try await world.confirmationAgent()
      let session = try far.start(
        "lsopen", ["ssh", "far", "exec \"$BROWSER\" http://localhost:18800/"])
      #expect(try await agent.isAsked().opener == "remote:far")
      #expect(try await browse("http://localhost:18800/", world).contains("Connection refused"))
      agent.answer(false)
      #expect(try await session.hasEnded() == "exited with code 4", "\(session.lines)")
      #expect(!world.daemon.lines.contains { $0.contains("a login callback is forwarded") })
    }
  }

  private static let isOver = "a login callback is no longer forwarded to the remote"

  @Test("closes the port here when the callback was answered, while the connection goes on")
  func closedAfterAnswer() async throws { try await closesPort() }

  /// - Parameters: as of `FarMachine.run`.
  func closesPort(_ options: [String] = [], withUserManager: Bool = false) async throws {
    try await FarMachine.run(options, hasNetwork: true, withUserManager: withUserManager) {
      world, far in
      try await allowCallbacks(far)
      let browser = try await world.installBrowser()
      // A tool that listens on after its login, at a port that it prints.
      let script = """
        import http.server, os, subprocess, sys
        class Tool(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"done")
        server = http.server.ThreadingHTTPServer(("localhost", 0), Tool)
        url = "https://login.example.org/?redirect_uri=http://localhost:%d/" % server.server_port
        subprocess.run([os.environ["BROWSER"], url], check=True)
        server.serve_forever()
        """
      try script.write(
        toFile: far.folder + "/bin/tool.py", atomically: true, encoding: .utf8)
      let tool = try far.start("lsopen", ["ssh", "far", "exec python3 \(far.folder)/bin/tool.py"])
      var page: String?
      while page == nil {
        if case .opened(let urls) = try await browser.next() { page = urls.first?.url }
      }
      let callback = try callback(in: try #require(page))
      #expect(try await browse(callback, world) == "200")
      try await world.daemon.line(containing: Self.isOver)
      try await waitUntil("the end of the port") {
        try await browse(callback, world).contains("Connection refused")
      }
      #expect(tool.isRunning)
      tool.signal(SIGTERM)
      _ = try await tool.hasEnded()
    }
  }

  @Test("closes the port here when the tool there ends without a callback") func closedWithTool()
    async throws
  {
    try await FarMachine.run(hasNetwork: true) { world, far in
      try await allowCallbacks(far)
      let browser = try await world.installBrowser()
      // Another session keeps the connection.
      let script = """
        import os, socket, subprocess
        server = socket.create_server(("localhost", 0))
        url = "https://login.example.org/?redirect_uri=http://localhost:%d/" % server.getsockname()[1]
        subprocess.run([os.environ["BROWSER"], url], check=True)
        print("opened", flush=True)
        input()
        """
      try script.write(
        toFile: far.folder + "/bin/tool.py", atomically: true, encoding: .utf8)
      let session = try far.start(
        "lsopen",
        [
          "ssh", "far",
          "sleep 1000 | python3 \(far.folder)/bin/tool.py & echo tool $!; exec sleep 1000",
        ])
      let pid = try await session.line(containing: "tool ").dropFirst("tool ".count)
      var page: String?
      while page == nil {
        if case .opened(let urls) = try await browser.next() { page = urls.first?.url }
      }
      let callback = try callback(in: try #require(page))
      try await session.line(containing: "opened")
      #expect(try await far.runInside(["kill", "\(pid)"]) == "exited with code 0")
      try await world.daemon.line(containing: Self.isOver)
      try await waitUntil("the end of the port") {
        try await browse(callback, world).contains("Connection refused")
      }
      #expect(session.isRunning)
      session.signal(SIGTERM)
      _ = try await session.hasEnded()
    }
  }

  @Test("opens the page, and does not get its callback, when callbacks are not allowed")
  func notAllowed() async throws {
    try await FarMachine.run(hasNetwork: true) { world, far in
      let (page, tool) = try await logIn(world, far)
      #expect(try await browse(page, world).contains("Connection refused"))
      try await world.daemon.line(containing: "lsregister remote allow-callback")
      #expect(tool.isRunning)
      tool.signal(SIGTERM)
      _ = try await tool.hasEnded()
    }
  }
}
