import Foundation
import LaunchServicesTesting
import Testing

/// `lsregister links verify --site`: each fault of a site is named.
@MainActor
@Suite(
  .timeLimit(.minutes(30)),
  .enabled(if: Sites.missing.isEmpty, "install \(Sites.missing.joined(separator: " and "))"))
struct SiteVerificationTests {
  struct Ending {
    var status: String
    var lines: [String]
    var text: String { lines.joined(separator: "\n") }
  }

  private nonisolated static let androidPath = "/.well-known/assetlinks.json"
  private nonisolated static let json = ["Content-Type": "application/json"]
  private nonisolated static let fingerprint = (0..<32).map { _ in "AB" }.joined(separator: ":")

  private func run(_ world: Testbed, _ sites: Sites, _ arguments: [String]) async throws -> Ending {
    let process = try world.startProcess(
      "lsregister", ["links", "verify"] + sites.commandOptions + arguments)
    let status = try await process.hasEnded()
    return Ending(status: status, lines: process.lines)
  }

  private nonisolated static func statement(_ package: String, _ fingerprint: String) -> String {
    #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","#
      + #""package_name":"\#(package)","sha256_cert_fingerprints":["\#(fingerprint)"]}}]"#
  }

  @Test("a sound site passes, and the URL goes to the application")
  func sound() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let sites = try await Sites.start(in: world)
      try sites.reply(
        "shop.sites.example",
        .init(
          headers: Self.json, body: Association.file("com.example.shop"),
          paths: [
            Self.androidPath: .init(
              headers: Self.json, body: Self.statement("com.example.shop", Self.fingerprint))
          ]))
      let ending = try await run(
        world, sites,
        [
          "--site", "shop.sites.example", "--url", "/buy/1", "--package", "com.example.shop",
        ])
      #expect(ending.status == "exited with code 0", "\(ending.text)")
      #expect(ending.text.contains("3 passed"))
      #expect(ending.text.contains("TEAM123456.com.example.shop receives it"))
    }
  }

  struct Fault: Sendable {
    var name: String
    var reply: Sites.Reply
    var host = "shop.sites.example"
    var arguments: [String] = []
    var text: String
    var status = 1
  }

  nonisolated static let faults: [Fault] = [
    .init(
      name: "redirect",
      reply: .init(status: 301, headers: ["Location": "https://www.sites.example/x"]),
      text: "the site answers 301 and redirects to https://www.sites.example/x"),
    .init(name: "status", reply: .init(status: 500), text: "the site answers 500 instead of 200"),
    .init(
      name: "size", reply: .init(headers: json, body: String(repeating: " ", count: 140_000)),
      text: "the file is larger than 128 KB"),
    .init(
      name: "certificate", reply: .init(), host: "other.example",
      text: "the certificate is not valid: "),
    .init(
      name: "JSON",
      reply: .init(headers: json, body: "{\n  \"applinks\": {\n  \"details\": [,]\n}}"),
      text: "it cannot be read as JSON at line 3, column 15: unexpected \",\""),
    .init(
      name: "JSON",
      reply: .init(
        headers: ["Content-Type": "text/html"], body: "<!doctype html><html><body>Hi</body></html>"),
      text: "it is an HTML page, not JSON"),
    .init(
      name: "applinks.details[0].components",
      reply: .init(
        headers: json,
        body: #"{"applinks":{"details":[{"appIDs":["T.com.example.shop"],"components":[]}]}}"#),
      arguments: ["--strict"], text: "is empty; the entry matches no URL: add a component"),
    .init(
      name: "components",
      reply: .init(
        headers: json,
        body:
          #"{"applinks":{"details":[{"appIDs":["T.com.example.shop"],"components":[{"/":"*","exclude":true}]}]}}"#
      ),
      text:
        "no URL of the site opens an application: no entry of applinks.details has a component that includes"
        + " URLs; add one, such as {\"/\": \"*\"}"),
    .init(
      name: "team", reply: .init(headers: json, body: Association.file("com.example.shop")),
      arguments: ["--against", "Shop.plist"],
      text: "the file names TEAM123456.com.example.shop, which has another team; write"
        + " OTHER12345.com.example.shop"),
    .init(
      name: "component", reply: .init(headers: json, body: Association.file("com.example.shop")),
      arguments: ["--url", "/sell/1"],
      text: "no component of the file matches the URL; the browser receives it"),
    .init(
      name: "package",
      reply: .init(headers: json, body: statement("com.example.shop", fingerprint.lowercased())),
      arguments: ["--package", "com.example.shop"], text: "has small letters"),
    .init(
      name: "type",
      reply: .init(
        headers: ["Content-Type": "text/html"], body: Association.file("com.example.shop")),
      text: "the Content-Type is text/html"),
  ]

  @Test("each fault is named, with a status and an annotation", arguments: faults)
  func fault(fault: Fault) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let sites = try await Sites.start(in: world)
      try sites.reply(fault.host, fault.reply)
      let list = world.folder + "/Shop.plist"
      try """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.shop</string>
      <key>TeamIdentifier</key><string>OTHER12345</string>
      <key>com.apple.developer.associated-domains</key>
      <array><string>applinks:shop.sites.example</string></array></dict></plist>
      """.write(toFile: list, atomically: true, encoding: .utf8)
      let arguments = fault.arguments.map { $0 == "Shop.plist" ? list : $0 }
      let ending = try await run(
        world, sites, ["--site", fault.host, "--format", "github"] + arguments)
      #expect(ending.status == "exited with code 1", "\(ending.text)")
      #expect(ending.text.contains(fault.text), "\(ending.text)")
      let annotations = ending.lines.filter {
        $0.hasPrefix("::error ") || $0.hasPrefix("::warning ")
      }
      #expect(
        fault.name == "package"
          ? !annotations.isEmpty
          : annotations.contains {
            $0.contains("title=\(fault.host)%3A \(fault.name)::")
          },
        "\(ending.text)")
    }
  }

  @Test("the sites of a property list are asked in one go, and JUnit has one suite for each")
  func sitesOfApplication() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let sites = try await Sites.start(in: world)
      for host in ["a.sites.example", "b.sites.example"] {
        try sites.reply(
          host, .init(headers: Self.json, body: Association.file("com.example.\(host.prefix(1))")))
      }
      let list = world.folder + "/A.plist"
      try """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.a</string>
      <key>com.apple.developer.associated-domains</key>
      <array><string>applinks:a.sites.example</string><string>applinks:*.b.sites.example</string>
      <string>webcredentials:c.sites.example</string></array></dict></plist>
      """.write(toFile: list, atomically: true, encoding: .utf8)
      let ending = try await run(
        world, sites, ["--against", list, "--team", "TEAM123456", "--format", "junit"])
      #expect(ending.status == "exited with code 1")
      let document = try await XMLCheck.suites(ending.text, in: world)
      #expect(document == ["a.sites.example", "b.sites.example"])
      #expect(
        ending.text.contains("the file does not name TEAM123456.com.example.a; add it to appIDs"))
      #expect(!ending.text.contains(#"\n"#))
    }
  }

  @Test("an annotation of --against has the property list as its file")
  func annotatedFile() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let sites = try await Sites.start(in: world)
      try sites.reply(
        "a.sites.example",
        .init(headers: Self.json, body: Association.file("com.example.other")))
      let list = world.folder + "/A.plist"
      try """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.a</string>
      <key>com.apple.developer.associated-domains</key>
      <array><string>applinks:a.sites.example</string></array></dict></plist>
      """.write(toFile: list, atomically: true, encoding: .utf8)
      let ending = try await run(
        world, sites, ["--against", list, "--team", "TEAM123456", "--format", "github"])
      #expect(ending.status == "exited with code 1")
      #expect(
        ending.lines.contains {
          $0.hasPrefix("::error file=\(list),line=3,title=a.sites.example%3A application::")
        },
        "\(ending.text)")
    }
  }

  @Test("a property list of a source tree gets its values as with lint")
  func buildVariables() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let sites = try await Sites.start(in: world)
      try sites.reply(
        "a.sites.example",
        .init(
          headers: Self.json, body: Association.file("com.example.a"),
          paths: [Self.androidPath: .init(status: 404)]))
      let tree = world.folder + "/src"
      func write(_ text: String, to path: String) throws {
        let file = URL(filePath: tree).appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      try write(
        """
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string></dict></plist>
        """, to: "A/Info.plist")
      try write(
        """
        <plist version="1.0"><dict><key>com.apple.developer.associated-domains</key><array>
        <string>applinks:$(DOMAIN)</string></array></dict></plist>
        """, to: "A/A.entitlements")
      try write(
        "PRODUCT_BUNDLE_IDENTIFIER = com.example.a\nDEVELOPMENT_TEAM = TEAM123456\n",
        to: "A.xcconfig")
      let given = [
        "--xcconfig", "\(tree)/A.xcconfig", "--define", "DOMAIN=a.sites.example",
      ]
      let against = ["--against", "\(tree)/A/Info.plist", "--format", "github"]
      let ending = try await run(world, sites, against + given)
      #expect(ending.status == "exited with code 0", "\(ending.text)")
      try write(
        """
        // !$*UTF8*$!
        { objects = {
          P = { isa = PBXProject; buildConfigurationList = L; mainGroup = G; targets = (T); };
          G = { isa = PBXGroup; children = (); sourceTree = "<group>"; };
          T = { isa = PBXNativeTarget; name = A; buildConfigurationList = M;
            productType = "com.apple.product-type.application"; };
          L = { isa = XCConfigurationList; buildConfigurations = (); };
          M = { isa = XCConfigurationList; buildConfigurations = (R);
            defaultConfigurationName = Release; };
          R = { isa = XCBuildConfiguration; name = Release; buildSettings = { DEVELOPMENT_TEAM = OTHER12345;
            INFOPLIST_FILE = A/Info.plist; CODE_SIGN_ENTITLEMENTS = A/A.entitlements;
            DOMAIN = a.sites.example; PRODUCT_BUNDLE_IDENTIFIER = com.example.a; }; };
        }; rootObject = P; }
        """, to: "A.xcodeproj/project.pbxproj")
      let ofProject = try await run(world, sites, against)
      #expect(ofProject.status == "exited with code 1", "\(ofProject.text)")
      #expect(
        ofProject.lines.contains {
          $0.hasPrefix(
            "::error file=\(tree)/A/A.entitlements,line=2,title=a.sites.example%3A team::")
        }, "\(ofProject.text)")
      let project = ["--against", "\(tree)/A.xcodeproj", "--format", "github"]
      let ofTarget = try await run(world, sites, project)
      #expect(
        ofTarget.lines.filter { $0.hasPrefix("::error") }
          == ofProject.lines.filter { $0.hasPrefix("::error") })
    }
  }

  @Test("a site that cannot be reached is status 4")
  func unreachable() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let process = try world.startProcess(
        "lsregister",
        ["links", "verify", "--site", "shop.sites.example", "--server", "127.0.0.1:1", "--json"])
      #expect(try await process.hasEnded() == "exited with code 4")
      #expect(process.lines.contains { $0.contains(#""outcome":"error""#) })
    }
  }
}

/// Reads JUnit XML with a real reader.
enum XMLCheck {
  /// The names of the suites.
  @MainActor static func suites(_ text: String, in world: Testbed) async throws -> [String] {
    let reader = """
      import sys, xml.etree.ElementTree as e
      for s in e.fromstring(sys.argv[1]).iter('testsuite'): print(s.get('name'))
      """
    let process = try world.startProcess("python3", ["-c", reader, text])
    #expect(try await process.hasEnded() == "exited with code 0")
    return process.lines
  }
}
