import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

private let missing = Browser.missing.joined(separator: " ")

@MainActor
@Suite(
  "Links that are clicked, and what the desktop opens", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: missing.isEmpty, "needs the packages \(missing)"))
struct BrowserTests {
  static let url = "myphotoapp:Vacation?index=1"

  /// The photo album, which the desktop knows as the handler of its scheme.
  private func withPhotoAlbum(
    _ body: @MainActor (Testbed, EndedRequests) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>RecordFullURLs</key><true/>")
      try await world.startDaemon()
      try await Example.photoAlbum.register(in: world)
      try await world.exportToDesktop(["myphotoapp"])
      try await body(world, EndedRequests(in: world))
    }
  }

  /// Waits until one more has been opened, and the photo album shows its picture.
  private func expectOne(
    _ launch: String, of requests: EndedRequests, in world: Testbed
  ) async throws {
    let request = try #require(await requests.next(), "nothing was opened")
    #expect(request["url"] == .string(Self.url))
    #expect(request["handler"] == .string("com.example.photo-album"))
    #expect(request["launch"] == .string(launch))
    #expect(request["fate"] == .string("delivered"))
    let all = try await world.client.call(Contract.history(HistoryOptions()))
    #expect(all.first?.asOptionsList?.count == (launch == "cold" ? 1 : 2))
    try await world.daemon.line(containing: "albumPath = Vacation")
    try await world.daemon.line(containing: "photoIndex = 1")
  }

  /// Waits until the user is asked about a page, and allows it.
  private func expectQuestion(to agent: TestAgent) async throws {
    let question = try await agent.isAsked()
    #expect(question.origin == "web")
    #expect(question.opener == "@web")
    agent.answer(true)
  }

  private func clicks(
    policy: [String: PropertyListValue] = [:], allowing scheme: String? = nil,
    desktop: String? = nil
  ) async throws {
    try await withPhotoAlbum { world, requests in
      let agent = try await world.confirmationAgent()
      try await Browser.run(in: world, policy: policy, allowing: scheme, desktop: desktop) {
        browser in
        for launch in ["cold", "warm"] {
          try await browser.driver.click("#vacation")
          // A page asks, whatever of the desktop lies between it and the daemon (R4.15).
          try await expectQuestion(to: agent)
          try await expectOne(launch, of: requests, in: world)
        }
      }
    }
  }

  @Test("a link in Chromium, cold and warm, allowed by the machine's policy")
  func byPolicy() async throws {
    let rule: PropertyListValue = [
      "protocol": "myphotoapp", "allowed_origins": ["http://127.0.0.1"],
    ]
    try await clicks(policy: ["AutoLaunchProtocolsFromOrigins": [rule]])
  }

  @Test("a link in Chromium on a desktop that opens with GIO, allowed by the person before")
  func byPerson() async throws { try await clicks(allowing: "myphotoapp", desktop: "GNOME") }

  nonisolated static let openers = [
    ["xdg-open"], ["XDG_CURRENT_DESKTOP=GNOME", "xdg-open"], ["gio", "open"],
  ]

  @Test(
    "every character that a URL may contain passes the desktop unchanged", arguments: openers)
  func fidelity(_ command: [String]) async throws {
    try await Testbed.run { world in
      let handler = try await world.install("com.example.handler", schemes: ["myapp"])
      try await world.exportToDesktop(["myapp"])
      try await world.allow("myapp", "com.example.handler")
      // By itself xdg-open looks for an entry of the scheme as it is written.
      let isLiteral = command == ["xdg-open"]
      for url in URLFidelityTests.urls + ["myapp:$HOME/$(id)&quot;@=%25u%25f"]
      where !isLiteral || url.hasPrefix("myapp:") {
        let process = try world.startProcess(
          "/usr/bin/env", command + [url], environment: ["DISPLAY": ":0"])
        #expect(try await process.hasEnded() == "exited with code 0", "\(url) \(process.lines)")
        do { try await handler.next(.opened(url)) } catch { Issue.record("\(url) \(error)") }
      }
    }
  }

  @Test("xdg-open and gio open, cold and warm", arguments: openers)
  func opens(_ command: [String]) async throws {
    try await withPhotoAlbum { world, requests in
      let agent = try await world.confirmationAgent()
      for launch in ["cold", "warm"] {
        // Without a screen xdg-open looks for browsers of the terminal only. Nothing is shown on it.
        let process = try world.startProcess(
          "/usr/bin/env", command + [Self.url], environment: ["DISPLAY": ":0"])
        // By itself xdg-open waits for what it has started.
        try await expectQuestion(to: agent)
        try #require(try await process.hasEnded() == "exited with code 0", "\(process.lines)")
        try await expectOne(launch, of: requests, in: world)
      }
    }
  }
}
