import BusContract
import DBus
import DBusMainLoop
import Foundation
import LaunchServicesTesting
import Testing

private let program = "/usr/libexec/xdg-desktop-portal"

/// What sandboxed programs, and browsers in them, open by xdg-desktop-portal.
@MainActor
@Suite(
  "Links that a desktop portal opens", .timeLimit(.minutes(30)),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: program),
    "needs the package xdg-desktop-portal"),
  .enabled(
    if: Desktop.isInstalled("update-desktop-database"), "needs the package desktop-file-utils"))
struct PortalTests {
  private static let backend: BusName = "org.freedesktop.impl.portal.desktop.test"

  /// Starts the portal, with a desktop that answers none of its questions.
  private func withPortal(
    in world: Testbed, _ body: (BusSession) async throws -> Void
  ) async throws {
    let folder = world.folder + "/portals"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try """
    [portal]
    DBusName=\(Self.backend)
    Interfaces=org.freedesktop.impl.portal.AppChooser;org.freedesktop.impl.portal.Lockdown
    UseIn=test

    """.write(toFile: folder + "/test.portal", atomically: true, encoding: .utf8)
    let session = BusSession(
      try Connection(address: world.environment["DBUS_SESSION_BUS_ADDRESS"]))
    session.onCall = { $0.fail(.failed("\($0.member) is unknown")) }
    try #require(try session.requestName(Self.backend) == .owned)
    session.start()
    // The proxy resolver of glib-networking, where that is installed, aborts without the schemas of a desktop.
    let portal = try world.startProcess(
      program, ["--verbose"],
      environment: [
        "XDG_DESKTOP_PORTAL_DIR": folder, "XDG_CURRENT_DESKTOP": "test",
        "GIO_USE_PROXY_RESOLVER": "dummy",
      ])
    try await portal.line(containing: "org.freedesktop.portal.Desktop acquired")
    try await body(session)
    try await portal.stop()
  }

  private func open(_ url: String, _ session: BusSession) async throws {
    _ = try await session.call(
      .call(
        to: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
        interface: "org.freedesktop.portal.OpenURI", member: "OpenURI",
        [.string(""), .string(url), .options([:])]))
  }

  @Test("The user is asked about one of an exported entry") func exported() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await world.exportToDesktop(["photos"])
      let agent = try await world.confirmationAgent()
      try await withPortal(in: world) { session in
        for url in ["photos:1", "photos:2"] {
          try await open(url, session)
          let question = try await agent.isAsked()
          #expect(question.origin == "web")
          agent.answer(true)
          try await photos.next(.opened(url))
        }
      }
    }
  }

  @Test("The user is asked about one of an entry that says nothing") func ownEntry() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      let lsopen = try #require(Example.program("lsopen"))
      try await desktop.install(
        "mine", schemes: ["photos"], exec: "/usr/bin/env \(lsopen) %u")
      try desktop.setDefault("photos", "mine")
      let agent = try await world.confirmationAgent()
      try await withPortal(in: world) { session in
        try await open("photos:1", session)
        let question = try await agent.isAsked()
        #expect(question.origin == "web")
        #expect(question.opener == "@web")
        agent.answer(false)
      }
    }
  }
}
