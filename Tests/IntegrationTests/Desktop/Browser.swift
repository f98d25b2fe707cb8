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
  ].filter { !FileManager.default.isExecutableFile(atPath: $0.0) }.map(\.1)

  /// How the browser knows that it need not ask before it hands a URL over.
  enum Consent: String {
    /// The policy `AutoLaunchProtocolsFromOrigins` of the machine.
    case policy
    /// The box that a person ticks in the question, as it is kept in the profile.
    case remembered
  }

  let driver: WebDriver
  /// Such as `http://127.0.0.1:8000/`.
  let page: String

  /// Serves the page of `Examples/web`, shows it, and ends everything after `body`.
  static func run(
    in world: Testbed, scheme: String, _ consent: Consent, desktop: String?,
    _ body: (Browser) async throws -> Void
  ) async throws {
    let server = try world.startProcess("/usr/bin/python3", [Example.folder + "/web/serve.py"])
    let page = try await server.line(containing: "http://")
    let policy = consent == .policy ? try ChromiumPolicy(scheme: scheme, page: page) : nil
    defer { policy?.remove() }
    let screen = try world.startProcess(
      "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"])
    var environment = ["DISPLAY": ":\(try await number(of: screen))", "TMPDIR": world.folder]
    environment["XDG_CURRENT_DESKTOP"] = desktop
    let program = try world.startProcess(
      "/usr/bin/chromedriver", ["--port=0"], environment: environment)
    let line = try await program.line(containing: "started successfully on port ")
    let port = try #require(line.split(whereSeparator: { !$0.isNumber }).last)
    let driver = try await WebDriver(
      driver: "http://127.0.0.1:\(port)",
      capabilities: capabilities(
        profile: world.folder + "/profile",
        allowing: consent == .remembered ? [page: scheme] : [:]), in: world)
    do {
      try await driver.go(to: page)
      try await body(Browser(driver: driver, page: page))
    } catch {
      try? await driver.quit()
      throw error
    }
    try await driver.quit()
  }

  /// Of the screen; what else it says is no number.
  private static func number(of screen: ObservedProcess) async throws -> Int {
    while true {
      if let number = Int(try await screen.line(containing: "")) { return number }
    }
  }

  private static func capabilities(
    profile: String, allowing pairs: [String: String]
  ) -> PropertyListValue {
    var arguments: [PropertyListValue] = [
      "--no-first-run", "--disable-gpu", .string("--user-data-dir=\(profile)"),
    ]
    if geteuid() == 0 { arguments.append("--no-sandbox") }  // it refuses to run as root with one
    var allowed: [String: PropertyListValue] = [:]
    for (page, scheme) in pairs {
      allowed[origin(of: page)] = .dictionary([scheme: true])
    }
    return [
      "browserName": "chrome",
      "goog:chromeOptions": [
        "args": .array(arguments),
        "prefs": ["protocol_handler": ["allowed_origin_protocol_pairs": .dictionary(allowed)]],
      ],
    ]
  }

  nonisolated static func origin(of page: String) -> String {
    page.hasSuffix("/") ? String(page.dropLast()) : page
  }
}

/// A file in the folder where Chromium reads what the machine's owner decides.
struct ChromiumPolicy {
  private static let root = "/etc/chromium"
  private static let folder = root + "/policies/managed"
  private let file: String
  /// Those that were made for it, outermost first.
  private let made: [String]

  static var mayBeWritten: Bool {
    let files = FileManager.default
    let existing = [folder, root + "/policies", root].first(where: files.fileExists)
    return existing.map(files.isWritableFile) ?? false
  }

  init(scheme: String, page: String) throws {
    let files = FileManager.default
    made = [Self.root + "/policies", Self.folder].filter { !files.fileExists(atPath: $0) }
    try files.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
    file = Self.folder + "/launch-services-test-\(getpid()).json"
    let policy: PropertyListValue = [
      "AutoLaunchProtocolsFromOrigins": [
        [
          "protocol": .string(scheme),
          "allowed_origins": .array([.string(Browser.origin(of: page))]),
        ]
      ]
    ]
    try JSONEncoder().encode(policy).write(to: URL(filePath: file))
  }

  func remove() {
    let files = FileManager.default
    try? files.removeItem(atPath: file)
    for folder in made.reversed()
    where (try? files.contentsOfDirectory(atPath: folder))?.isEmpty == true {
      try? files.removeItem(atPath: folder)
    }
  }
}
