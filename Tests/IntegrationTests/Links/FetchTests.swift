import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

private let missing = Sites.missing.joined(separator: " ")

@MainActor
@Suite(
  "Association files by HTTPS", .timeLimit(.minutes(30)),
  .enabled(if: missing.isEmpty, "needs the packages \(missing)"))
struct FetchTests {
  static let app = "com.example.shop"
  static let domain = "shop.sites.example"
  static let url = "https://shop.sites.example/buy/1"

  private func withSites(
    withUserManager: Bool? = nil, _ body: @MainActor (Testbed, Sites) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false, withUserManager: withUserManager) { world in
      let sites = try await Sites.start(in: world)
      try sites.reply(Self.domain, .init(body: Association.file(Self.app)))
      try await world.startDaemon(sites.options)
      try await world.installBrowser()
      try await body(world, sites)
    }
  }

  private func refresh(in world: Testbed) async throws {
    _ = try await world.client.call(Contract.refreshLinks([]))
  }

  private func link(in world: Testbed) async throws -> Options {
    try await world.client.call(Contract.links()).first?.asOptionsList?.first ?? [:]
  }

  private func handler(in world: Testbed) async throws -> String {
    try await world.client.open(Self.url).handler
  }

  @Test(
    "R8.5 R8.6 are fetched on registration, from the well-known place, and not again at a restart")
  func registration() async throws {
    try await withSites { world, sites in
      try await world.installLinked(Self.app)
      let asked = try await sites.process.line(containing: "asked")
      #expect(asked == "asked \(Self.domain) /.well-known/apple-app-site-association")
      // A refresh meanwhile would wait for the same fetch.
      try await waitUntil("the fetch has ended") {
        try await link(in: world)["result"] == .string("fetched")
      }
      try await refresh(in: world)
      #expect(try await sites.process.line(containing: "asked") == asked)
      let unknown = try world.startProcess("lsregister", ["links", "refresh", "nosuch.example"])
      #expect(try await unknown.hasEnded() == "exited with code 4")
      #expect(
        unknown.lines.contains { $0.hasSuffix("no application declares applinks:nosuch.example") },
        "\(unknown.lines)")
      #expect(try await link(in: world)["site"] == .string("approved"))
      #expect(try await link(in: world)["source"] == .string("fetched"))
      #expect(try await handler(in: world) == Self.app)
      try await world.restartDaemon(sites.options)
      #expect(try await handler(in: world) == Self.app)
      #expect(
        sites.process.lines.filter { $0.hasPrefix("asked") } == [asked, asked],
        "\(sites.process.lines)")
      // Installed anew, in its folder and by its path.
      try await world.installLinked(Self.app)
      try await sites.process.line(containing: "asked")
      // A site that is being asked is not asked once more.
      try await refresh(in: world)
      let count = sites.process.lines.count
      try await world.installLinked("com.example.second") { $0.place = .registered }
      while sites.process.lines.count == count {
        try await sites.process.line(containing: "asked")
      }
      try await refresh(in: world)
      // What was fetched may be removed.
      try await world.stopDaemon()
      try FileManager.default.removeItem(
        atPath: world.folder + "/cache/launch-services/links/\(Self.domain)")
      try await world.startDaemon(sites.options)
      try await sites.process.line(containing: "asked")
    }
  }

  nonisolated static let bad: [(Sites.Reply, String)] = [
    (
      .init(status: 301, headers: ["Location": "https://other.sites.example/"]),
      "the site redirects, which is not allowed"
    ),
    (
      .init(body: #"{"applinks":{}}"# + String(repeating: " ", count: 131_072)),
      "it is larger than 128 KB"
    ),
    (.init(body: "{"), "it is no association file; for the reason, run: lsregister links verify"),
    (.init(status: 500), "the site answered with another status than 200"),
    (.init(hang: true), "the site took too long"),
  ]

  @Test("R8.5 a bad answer is refused, and the last good file counts on", arguments: bad)
  func refused(_ reply: Sites.Reply, _ result: String) async throws {
    try await withSites { world, sites in
      try await world.installLinked(Self.app)
      try await refresh(in: world)
      try sites.reply(Self.domain, reply)
      try await refresh(in: world)
      let link = try await link(in: world)
      #expect(link["result"] == .string(result))
      #expect(link["site"] == .string("approved"))
      #expect(try await handler(in: world) == Self.app)
    }
  }

  @Test("R8.6 403 and 404 deny, until the site has a file again", arguments: [403, 404])
  func denied(_ status: Int) async throws {
    try await withSites { world, sites in
      try await world.installLinked(Self.app)
      try await refresh(in: world)
      try sites.reply(Self.domain, .init(status: status))
      try await refresh(in: world)
      #expect(try await link(in: world)["site"] == .string("denied"))
      #expect(try await handler(in: world) == "com.example.browser")
      // Who can keep us from the site must not have what it took back.
      try sites.reply(Self.domain, .init(status: 500))
      try await refresh(in: world)
      #expect(try await handler(in: world) == "com.example.browser")
      try sites.reply(Self.domain, .init(body: Association.file(Self.app)))
      try await refresh(in: world)
      #expect(try await handler(in: world) == Self.app)
    }
  }

  @Test("R8.5 a certificate of another host, or of an authority nobody knows, is refused")
  func certificates() async throws {
    try await withSites { world, sites in
      try await world.installLinked(Self.app, domains: ["other.example"])
      try await refresh(in: world)
      let result = Value.string("the certificate of the site is not valid")
      #expect(try await link(in: world)["result"] == result)
      #expect(try await link(in: world)["site"] == .string("unspecified"))
      let server = try #require(sites.options.last?.split(separator: ",").first)
      try await world.restartDaemon([
        "--fetch-associations", "yes", "--association-server",
        "\(server),/etc/ssl/certs/ca-certificates.crt",
      ])
      try await world.installLinked(Self.app)
      try await refresh(in: world)
      #expect(try await link(in: world)["result"] == result)
    }
  }

  @Test(
    "are fetched by a unit of systemd where the daemon may not use the network itself",
    .enabled(
      if: Testbed.userManagerProblem == nil,
      "needs a systemd --user: \(Testbed.userManagerProblem ?? "")"))
  func byUnit() async throws {
    try await withSites(withUserManager: true) { world, sites in
      try await world.restartDaemon(["--launcher", "systemd"] + sites.options)
      try await world.installLinked(Self.app)
      try await refresh(in: world)
      #expect(try await link(in: world)["result"] == .string("fetched"))
      try sites.reply(Self.domain, .init(status: 404))
      try await refresh(in: world)
      #expect(try await link(in: world)["site"] == .string("denied"))
    }
  }

  @Test("Sites are asked through the proxy of the environment, as curl does")
  func proxy() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let listener = """
        import socket
        server = socket.create_server(("127.0.0.1", 0))
        print("port", server.getsockname()[1], flush=True)
        print("asked", server.accept()[0].recv(999).split(b"\\r")[0].decode(), flush=True)
        """
      let proxy = try world.startProcess("/usr/bin/python3", ["-c", listener])
      let port = try await proxy.line(containing: "port ").dropFirst("port ".count)
      let fetcher = try world.startProcess(
        "launchservices-links", [Self.domain, world.folder + "/file"],
        environment: ["https_proxy": "http://127.0.0.1:\(port)", "no_proxy": ""])
      #expect(try await fetcher.hasEnded() == "exited with code 15")
      #expect(
        try await proxy.line(containing: "asked") == "asked CONNECT \(Self.domain):443 HTTP/1.1")
    }
  }

  @Test("A site that is slow delays no open")
  func slow() async throws {
    try await withSites { world, sites in
      try sites.reply(Self.domain, .init(hang: true))
      try await world.installLinked(Self.app)
      try await sites.process.line(containing: "asked")
      #expect(try await handler(in: world) == "com.example.browser")
      #expect(try await link(in: world)["result"] == nil)
    }
  }

  @Test("A file that was added goes before that of the site, which is not asked then")
  func added() async throws {
    try await withSites { world, sites in
      try await world.addAssociationFile(Association.file(Self.app))
      try await world.installLinked(Self.app)
      #expect(try await handler(in: world) == Self.app)
      await #expect(throws: Refusal.self) {
        _ = try await world.client.call(Contract.refreshLinks([Self.domain]))
      }
      #expect(!sites.process.lines.contains { $0.hasPrefix("asked") })
    }
  }

  @Test("R8.4 mode=developer counts when the settings allow it")
  func developer() async throws {
    try await withSites { world, sites in
      try await world.installLinked(Self.app, domains: ["\(Self.domain)?mode=developer"])
      try await refresh(in: world)
      #expect(try await link(in: world)["counts"] == .boolean(false))
      #expect(try await handler(in: world) == "com.example.browser")
      #expect(!sites.process.lines.contains { $0.hasPrefix("asked") })
      try world.writeSettings("<key>DeveloperLinks</key><true/>")
      try await world.restartDaemon(sites.options)
      try await refresh(in: world)
      #expect(try await handler(in: world) == Self.app)
    }
  }
}
