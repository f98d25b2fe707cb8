import Foundation
import LaunchServicesTesting
import Testing

/// The ports of this machine that are forwarded for the ends of logins on another machine.
@MainActor
@Suite(
  "Ports of logins on another machine",
  .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"), .timeLimit(.minutes(30)))
struct LoginPortTests {
  /// Opens a login with a callback to a port, which is 0 for any, and ends after the first request there.
  private static let tool = """
    import http.server, os, subprocess, sys
    class Tool(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"far")
    server = http.server.HTTPServer(("localhost", int(sys.argv[1])), Tool)
    url = "https://login.example.org/?redirect_uri=http://localhost:%d/" % server.server_port
    subprocess.run([os.environ["BROWSER"], url], check=True)
    print("opened", flush=True)
    server.handle_request()
    """

  private func run(
    _ body: @MainActor (Testbed, FarMachine, ScriptedHandler, _ tool: String) async throws -> Void
  ) async throws {
    try await FarMachine.run(hasNetwork: true) { world, far in
      for words in [["add", "far"], ["allow-callback", "far"]] {
        let (lines, end) = try await far.run("lsregister", ["remote"] + words)
        #expect(end == "exited with code 0", "\(lines)")
      }
      let browser = try await world.installBrowser()
      let tool = far.folder + "/bin/tool.py"
      try Self.tool.write(toFile: tool, atomically: true, encoding: .utf8)
      try await body(world, far, browser, tool)
    }
  }

  /// The callback in the next page that the browser gets.
  private func callback(_ browser: ScriptedHandler) async throws -> String {
    while true {
      guard case .opened(let urls) = try await browser.next(), let page = urls.first?.url else {
        continue
      }
      let items = URLComponents(string: page)?.queryItems ?? []
      return try #require(items.first { $0.name == "redirect_uri" }?.value)
    }
  }

  /// Requests a page, and returns its text or the error.
  private func browse(_ url: String, _ world: Testbed) async throws -> String {
    let script = """
      import sys, urllib.error, urllib.request
      try:
          print(urllib.request.urlopen(sys.argv[1]).read().decode())
      except urllib.error.URLError as error:
          print(error.reason)
      """
    let process = try world.startProcess("/usr/bin/python3", ["-c", script, url])
    _ = try await process.hasEnded()
    return process.lines.first ?? ""
  }

  @Test("a session that ends with its login frees the port, so that a sixth login reaches its end")
  func sessionsOfLogins() async throws {
    try await run { world, far, browser, tool in
      for _ in 0..<6 {
        let session = try far.start("lsopen", ["ssh", "far", "exec python3 \(tool) 0"])
        let callback = try await callback(browser)
        #expect(try await browse(callback, world) == "far")
        #expect(try await session.hasEnded() == "exited with code 0", "\(session.lines)")
      }
      let log = world.daemon.lines
      #expect(log.count { $0.contains("a login callback is forwarded to the remote") } == 6)
      #expect(!log.contains { $0.contains("does not say when a login is over") }, "\(log)")
    }
  }

  @Test(
    "a port that a program of this machine uses at one of the two loopback addresses is not forwarded",
    arguments: ["127.0.0.1", "::1"])
  func usedPort(address: String) async throws {
    try await run { world, far, browser, tool in
      let script = """
        import http.server, socket, sys
        class Local(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"here")
        class Server(http.server.HTTPServer):
            address_family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
        server = Server((sys.argv[1], 0), Local)
        print("port", server.server_port, flush=True)
        server.serve_forever()
        """
      let local = try world.startProcess("/usr/bin/python3", ["-c", script, address])
      let port = try await local.line(containing: "port ").dropFirst("port ".count)
      let session = try far.start("lsopen", ["ssh", "far", "exec python3 \(tool) \(port)"])
      _ = try await callback(browser)
      try await session.line(containing: "opened")
      let why = try await world.daemon.line(containing: "a login callback cannot be forwarded")
      #expect(why.contains("uses the port at \(address)"), "\(why)")
      #expect(try await browse("http://127.0.0.1:\(port)/", world) != "far")
      #expect(try await browse("http://[::1]:\(port)/", world) != "far")
      session.signal(SIGTERM)
      _ = try await session.hasEnded()
    }
  }
}
