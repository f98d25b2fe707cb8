import BusContract
import Foundation
import LaunchServicesTesting
import Testing

/// An HTTPS server for hosts below `sites.example`, with a certificate of an authority of its own.
@MainActor struct Sites {
  nonisolated static let missing = [
    ("/usr/bin/openssl", "openssl"), ("/usr/bin/python3", "python3"),
  ]
  .filter { !FileManager.default.isExecutableFile(atPath: $0.0) }.map(\.1)

  let process: ObservedProcess
  private let folder: String
  private let port: Int

  /// What the daemon's command line needs, so that it asks here.
  var options: [String] {
    [
      "--fetch-associations", "yes", "--association-server",
      "127.0.0.1:\(port),\(folder)/authority.pem",
    ]
  }

  /// What `lsregister links verify` needs, so that it asks here.
  var commandOptions: [String] {
    ["--server", "127.0.0.1:\(port)", "--certificates", folder + "/authority.pem"]
  }

  static func start(in world: Testbed) async throws -> Sites {
    let folder = world.folder + "/sites"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "subjectAltName=DNS:*.sites.example\n"
      .write(toFile: folder + "/names", atomically: true, encoding: .utf8)
    // Made in milliseconds, other than one of RSA.
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1"
    for command in [
      "req -x509 \(key) -nodes -days 2 -subj /CN=authority -keyout authority-key.pem"
        + " -out authority.pem",
      "req \(key) -nodes -subj /CN=sites -keyout key.pem -out request.pem",
      "x509 -req -in request.pem -CA authority.pem -CAkey authority-key.pem -CAcreateserial -days 2"
        + " -extfile names -out certificate.pem",
    ] {
      let process = try world.startProcess(
        "/bin/sh", ["-c", "cd '\(folder)' && exec openssl \(command)"])
      try #require(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
    }
    let script = Fixture.path("sites.py")
    let process = try world.startProcess("/usr/bin/python3", [script, folder])
    let line = try await process.line(containing: "port ")
    let port = try #require(Int(line.dropFirst("port ".count)))
    return Sites(process: process, folder: folder, port: port)
  }

  struct Reply: Encodable {
    var status = 200
    var headers: [String: String] = [:]
    var body = ""
    var hang = false
    /// Other replies for some paths.
    var paths: [String: Reply]?
  }

  func reply(_ host: String, _ reply: Reply) throws {
    try JSONEncoder().encode(reply).write(to: URL(filePath: "\(folder)/\(host).reply"))
  }
}

/// Association files and applications that belong together.
@MainActor enum Association {
  static let team = "TEAM123456"

  nonisolated static func file(_ application: String, _ components: String = #"[{"/":"/buy/*"}]"#)
    -> String
  {
    #"{"applinks":{"details":[{"appIDs":["TEAM123456.\#(application)"],"components":\#(components)}]}}"#
  }
}

extension Testbed {
  /// Installs an application that declares these domains.
  @discardableResult func installLinked(
    _ identifier: String, domains: [String] = ["shop.sites.example"],
    _ script: HandlerScript = .delegate(), _ change: (inout TestApplication) -> Void = { _ in }
  ) async throws -> ScriptedHandler {
    try await install(identifier, script) {
      $0.team = Association.team
      if script.usesScenes { $0.otherKeys["UIApplicationSceneManifest"] = .dictionary([:]) }
      $0.otherFiles["archived-expanded-entitlements.xcent"] =
        "<plist version=\"1.0\"><dict><key>com.apple.developer.associated-domains</key><array>"
        + domains.map { "<string>applinks:\($0)</string>" }.joined() + "</array></dict></plist>"
      change(&$0)
    }
  }

  /// Has a file of this text count for a domain.
  func addAssociationFile(_ text: String, for domain: String = "shop.sites.example") async throws {
    let path = folder + "/aasa.json"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    _ = try await client.call(Contract.setAssociationFile(domain, path))
  }

  func open(_ url: String, _ options: OpenOptions = OpenOptions()) async throws
    -> LaunchServicesTesting.Receipt
  {
    try await client.open(url, options)
  }

  func explain(_ url: String) async throws -> Explanation { try await client.explain(url) }

  /// An application that gets web URLs as a browser does.
  @discardableResult func installBrowser() async throws -> ScriptedHandler {
    try await install("com.example.browser", schemes: ["http", "https"]) {
      $0.sdk = Profile.macOS.rawValue
    }
  }
}
