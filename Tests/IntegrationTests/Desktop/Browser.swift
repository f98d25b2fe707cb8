import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Chromium on a screen that nobody sees, in the world of a test.
@MainActor struct Browser {
  /// The packages that are missing.
  nonisolated static let missing = [
    ("/usr/bin/chromium", "chromium"), ("/usr/bin/chromedriver", "chromium-driver"),
    ("/usr/bin/Xvfb", "xvfb"), ("/usr/bin/xdg-open", "xdg-utils"),
    ("/usr/bin/gio", "libglib2.0-bin"), ("/usr/bin/python3", "python3"),
    ("/usr/bin/bwrap", "bubblewrap"),
  ].filter { !FileManager.default.isExecutableFile(atPath: $0.0) }.map(\.1)

  /// Without the last option Xvfb resets when its last client has ended, and drops a client that connects meanwhile.
  nonisolated static let screenOptions = [
    "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset",
  ]

  let driver: WebDriver
  /// Such as `http://127.0.0.1:8000/`.
  let page: String

  /// Its screen, such as `:1`.
  let screen: String

  /// Serves the page of `Examples/web`, shows it, and ends everything after `body`.
  /// - Parameters:
  ///   - policy: what the owner of a machine decides; it is there for this browser alone.
  ///   - allowing: a scheme whose links the person has allowed on this page for good.
  static func run(
    in world: Testbed, policy: [String: PropertyListValue] = [:], allowing scheme: String? = nil,
    desktop: String? = nil, _ body: (Browser) async throws -> Void
  ) async throws {
    let server = try world.startProcess("/usr/bin/python3", [Example.folder + "/web/serve.py"])
    let page = try await server.line(containing: "http://")
    let policyFile = world.folder + "/policy.json"
    try JSONEncoder().encode(policy).write(to: URL(filePath: policyFile))
    let process = try world.startProcess(
      "/usr/bin/Xvfb", Browser.screenOptions)
    let screen = ":\(try await number(of: process))"
    var environment = ["DISPLAY": screen, "TMPDIR": world.folder]
    environment["XDG_CURRENT_DESKTOP"] = desktop
    let program = try world.startProcess(
      "/usr/bin/bwrap",
      [
        "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", "/etc/chromium",
        "--ro-bind", policyFile, "/etc/chromium/policies/managed/test.json",
        "/usr/bin/chromedriver", "--port=0",
      ], environment: environment)
    let line = try await program.line(containing: "started successfully on port ")
    let port = try #require(line.split(whereSeparator: { !$0.isNumber }).last)
    let driver = try await WebDriver(
      driver: "http://127.0.0.1:\(port)",
      capabilities: capabilities(
        profile: profile(in: world), allowing: scheme.map { [page: $0] } ?? [:]), in: world)
    do {
      try await driver.go(to: page)
      try await body(Browser(driver: driver, page: page, screen: screen))
    } catch {
      try? await driver.quit()
      throw error
    }
    try await driver.quit()
  }

  static func profile(in world: Testbed) -> String { world.folder + "/profile" }

  /// Of the screen; what else it says is no number.
  static func number(of screen: ObservedProcess) async throws -> Int {
    while true {
      if let number = Int(try await screen.line(containing: "")) { return number }
    }
  }

  static func arguments(profile: String) -> [String] {
    // It refuses to run as root with a sandbox.
    ["--no-first-run", "--disable-gpu", "--user-data-dir=\(profile)"]
      + (geteuid() == 0 ? ["--no-sandbox"] : [])
  }

  private static func capabilities(
    profile: String, allowing pairs: [String: String]
  ) -> PropertyListValue {
    var allowed: [String: PropertyListValue] = [:]
    for (page, scheme) in pairs {
      allowed[origin(of: page)] = .dictionary([scheme: true])
    }
    return [
      "browserName": "chrome",
      "goog:chromeOptions": [
        "args": .array(arguments(profile: profile).map(PropertyListValue.string)),
        // With it the browser takes no URL from a second process.
        "excludeSwitches": ["enable-automation"],
        "prefs": ["protocol_handler": ["allowed_origin_protocol_pairs": .dictionary(allowed)]],
      ],
    ]
  }

  nonisolated static func origin(of page: String) -> String {
    page.hasSuffix("/") ? String(page.dropLast()) : page
  }
}
