import BusContract
import DBus
import DaemonSettings
import Foundation
import Host
import LaunchRules
import ProcessSupervision
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Associated domains", .timeLimit(.minutes(30)))
struct AssociatedDomainsTests {
  @Test("A file that the user adds counts for its domain until it is taken back") func added()
    async throws
  {
    let world = try await LinkWorld()
    #expect(try world.listed() == ["shop.example unspecified none"])
    try await world.setFile(world.file(for: "photos"))
    #expect(try world.listed() == ["shop.example approved added"])
    try await world.setFile(world.file(for: "viewer"))
    #expect(try world.listed() == ["shop.example denied added"])
    try await world.setFile("")
    #expect(try world.listed() == ["shop.example unspecified none"])
    #expect(try await world.refused { try await world.setFile("") } == "InvalidBundle")
  }

  @Test("A copy of the file counts: what becomes of the file itself changes nothing") func copied()
    async throws
  {
    let world = try await LinkWorld()
    let file = try world.file(for: "photos")
    try await world.setFile(file)
    try FileManager.default.removeItem(atPath: file)
    #expect(try world.listed() == ["shop.example approved added"])
    try "no association file".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try await world.refused { try await world.setFile(file) } == "InvalidBundle")
    #expect(try world.listed() == ["shop.example approved added"])
  }

  @Test("The choice of the user is kept, and is there for the next daemon") func choices()
    async throws
  {
    let world = try await LinkWorld()
    try world.choose("photos", "browser")
    #expect(world.links.rule.choices[world.photos, world.domain] == .browser)
    try world.choose("photos", "application")
    let next = world.makeLinks()
    #expect(next.rule.choices[world.photos, world.domain] == .application)
    try world.choose("photos", "")
    #expect(world.makeLinks().rule.choices.choices.isEmpty)
    try world.choose("photos", "browser")
    try FileManager.default.removeItem(atPath: world.world.folder + "/state/links.plist")
    try world.links.storeAgain()
    #expect(world.makeLinks().rule.choices[world.photos, world.domain] == .browser)
  }

  @Test("What no application declares is not chosen, and nothing is fetched where that is off")
  func refused() async throws {
    let world = try await LinkWorld()
    #expect(try await world.refused { try world.choose("viewer", "browser") } == "NotRegistered")
    #expect(
      try await world.refused { try world.choose("photos", "none") }
        == "org.freedesktop.DBus.Error.InvalidArgs")
    // A choice of what is gone can be taken back.
    try world.choose("viewer", "")
    #expect(
      try await world.refused { _ = try world.answer(.refresh(["shop.example"])) }
        == "NotPermitted")
    for host in ["", "localhost", "*.example.com", "http://example.com"] {
      #expect(
        try await world.refused {
          _ = try world.answer(.setFile(domain: host, path: "/nowhere"))
        } == "org.freedesktop.DBus.Error.InvalidArgs")
    }
  }
}

/// A daemon with an application that declares an associated domain, and that asks no sites.
@MainActor final class LinkWorld {
  let world: DaemonWorld
  let photos = DaemonWorld.photos
  let domain = WebHost("shop.example")!

  init() async throws {
    world = try await DaemonWorld(
      keys: """
        <key>TeamIdentifier</key><string>TEAM123456</string>
        <key>com.apple.developer.associated-domains</key>
        <array><string>applinks:shop.example</string></array>
        """
    ) { $0.associations.fetches = false }
    links.start(world.registry.store.registry)
  }

  var links: AssociatedDomains { world.registry.links }

  /// Those of a daemon that starts with the same folders.
  func makeLinks() -> AssociatedDomains {
    let journal = Journal(program: "link-tests", environment: [:], descriptor: -1)
    let files = AssociationStore(
      added: world.folder + "/state/links", fetched: world.folder + "/cache/links", journal)
    var settings = AssociationSettings()
    settings.fetches = false
    return AssociatedDomains(
      settings, StateFile(path: world.folder + "/state/links.plist"), files,
      AssociationFetcher(
        files, world.callers.services, .init(inheriting: [:]),
        StateFile(path: world.folder + "/cache/links.plist"),
        .init(isAllowed: false, launcher: .spawn), journal), journal)
  }

  /// Writes an association file that names an application.
  /// - Returns: its path.
  func file(for name: String) throws -> String {
    let path = world.folder + "/association.json"
    let text =
      #"{"applinks":{"details":[{"appIDs":["TEAM123456.com.example.\#(name)"],"components":[{"/":"*"}]}]}}"#
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  // MARK: Calls

  func answer(_ call: LinkCall) throws -> Reply {
    try links.answer(call, in: world.registry.store.registry)
  }

  func choose(_ name: String, _ choice: String) throws {
    _ = try answer(
      .choose(application: "com.example.\(name)", domain: domain.text, choice: choice))
  }

  func setFile(_ path: String) async throws {
    guard case .later(let work) = try answer(.setFile(domain: domain.text, path: path)) else {
      Issue.record("the file was read at once")
      return
    }
    _ = try await work()
  }

  /// The domains, each with what its site says, and where that is from.
  func listed() throws -> [String] {
    guard case .inTurns(let step) = try answer(.list) else { return [] }
    var values: [Value]?
    while values == nil { values = try step() }
    return (values?.first?.asOptionsList ?? []).map { entry in
      [Key.domain, Key.site, Key.source].map { entry[$0]?.asString ?? "?" }.joined(separator: " ")
    }
  }

  /// The name of the error.
  func refused(_ body: () async throws -> Void) async throws -> String {
    do {
      try await body()
      return "nothing is refused"
    } catch let error as BusError {
      return Contract.shortName(of: error).replacing("org.launchservices.Error.", with: "")
    }
  }
}
