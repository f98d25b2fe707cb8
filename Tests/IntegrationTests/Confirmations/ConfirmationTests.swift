import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// What the user is asked before an open goes on (R4.15). `facetime` from a program that is no
/// registered application is always confirmed.
@MainActor @Suite("Confirmations", .timeLimit(.minutes(30)))
struct ConfirmationTests {
  static let identifier = "com.example.calls"
  static let url = "facetime:ann@example.com?token=secret"
  /// The scheme has no query.
  static let handedOn = "facetime:ann@example.com"

  @discardableResult
  private func installCalls(in world: Testbed) async throws -> ScriptedHandler {
    try await world.install(Self.identifier, schemes: ["facetime", "tel"])
  }

  private func unavailable(_ why: String) -> Refusal {
    Refusal(
      "ConfirmationUnavailable",
      "the user must confirm this open and could not be asked: \(why). No answer to this question is"
        + " remembered; the row facetime-application-macos of the setting Confirmations switches the question"
        + " off (OSStatus error -54)")
  }
  private let declined = Refusal(
    "ConfirmationDeclined",
    "the user declined that a program opens a facetime URL with \(identifier)"
      + " (OSStatus error -128)")

  @Test("The agent is asked, and the URL waits for its answer") func allowed() async throws {
    try await Testbed.run { world in
      let calls = try await installCalls(in: world)
      let agent = try await world.confirmationAgent()
      let open = world.client.opening(Self.url)
      #expect(
        try await agent.isAsked()
          == .init(
            opener: "@unidentified", scheme: "facetime", handler: Self.identifier,
            origin: "application", url: "facetime:ann@example.com",
            sentence:
              "Let a program start a FaceTime call to ann@example.com with \(Self.identifier)?"))
      #expect(!open.isAnswered && calls.heard() == [])
      agent.answer(true)
      let receipt = try await open.receipt()
      #expect(receipt.outcome == .deliveredCold)
      #expect(receipt.trail.prefix(3) == ["resolved", "confirming", "confirmed"])
      #expect(calls.heard().last == .opened(Self.handedOn))
    }
  }

  @Test("A no is told to the opener, and nothing is launched") func refused() async throws {
    try await Testbed.run { world in
      let calls = try await installCalls(in: world)
      let agent = try await world.confirmationAgent()
      let open = world.client.opening(Self.url)
      _ = try await agent.isAsked()
      agent.answer(false)
      await #expect(throws: declined) { try await open.receipt() }
      #expect(calls.pids.isEmpty)
    }
  }

  @Test("An answer that is remembered counts also for the next daemon, until it is forgotten")
  func remembered() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      var options = OpenOptions()
      options.isLink = true
      var agent = try await world.confirmationAgent()
      let first = world.client.opening("photos:1", options)
      _ = try await agent.isAsked()
      agent.answer(true, remember: true)
      #expect(try await first.receipt().outcome == .deliveredCold)
      try await world.restartDaemon()
      #expect(try await world.client.open("photos:1", options).outcome.delivery == .delivered)

      let list = try world.startProcess("lsregister", ["approvals"])
      #expect(try await list.hasEnded() == "exited with code 0")
      #expect(list.lines == ["allow  @web  photos  com.example.photos"])
      let reset = try world.startProcess("lsregister", ["approvals", "reset", "photos"])
      #expect(try await reset.hasEnded() == "exited with code 0")
      #expect(reset.lines == ["1 forgotten"])

      agent = try await world.confirmationAgent()
      let again = world.client.opening("photos:1", options)
      _ = try await agent.isAsked()
      agent.answer(false)
      let refusal = await #expect(throws: Refusal.self) { try await again.receipt() }
      #expect(refusal?.name == declined.name)
    }
  }

  @Test("D2: a call is asked about each time, whatever the agent answers") func everyTime()
    async throws
  {
    try await Testbed.run { world in
      try await installCalls(in: world)
      let agent = try await world.confirmationAgent()
      for _ in 0..<2 {
        let open = world.client.opening(Self.url)
        _ = try await agent.isAsked()
        agent.answer(true, remember: true)
        #expect(try await open.receipt().outcome.delivery == .delivered)
      }
    }
  }

  @Test("D5: * and # are refused for every handler of tel, also for one that the user chose")
  func refusedForChosenHandler() async throws {
    try await Testbed.run { world in
      try await installCalls(in: world)
      let dialer = try await world.install("com.example.dialer", schemes: ["tel"]) {
        $0.sdk = "macosx26.0"
      }
      try await world.client.setDefaultHandler("tel", "com.example.dialer")
      #expect(try await world.client.explain("tel:1").handler == "com.example.dialer")
      for url in ["tel:*21*1#", "tel:*21*1%23", "tel:1#2"] {
        let refusal = await #expect(throws: Refusal.self) { try await world.client.open(url) }
        #expect(refusal?.name == Refusal("InvalidURL", "").name, "\(url)")
      }
      #expect(dialer.heard() == [])
    }
  }

  @Test(
    "D5 D7: nobody is asked about a URL with which nothing would be done, whoever handles it",
    arguments: ["tel:", "tel:*21*1#", "facetime:foo"])
  func refusedUnasked(_ url: String) async throws {
    try await Testbed.run { world in
      let calls = try await installCalls(in: world)
      let refusal = await #expect(throws: Refusal.self) { try await world.client.open(url) }
      #expect(refusal?.name == Refusal("InvalidURL", "").name)
      #expect(refusal?.text.contains("nothing would be done with this URL: ") == true)
      #expect(
        try await world.client.explain(url).sentence(of: "open") == "fails: \(refusal?.text ?? "")")
      #expect(calls.pids.isEmpty)
    }
  }

  @Test("Without anybody to ask the open fails, and says what to do") func nobody() async throws {
    try await Testbed.run { world in
      let calls = try await installCalls(in: world)
      let refusal = await #expect(throws: Refusal.self) { try await world.client.open(Self.url) }
      #expect(refusal?.name == Refusal("ConfirmationUnavailable", "").name)
      #expect(refusal?.text.contains("no desktop notification") == true, "\(refusal as Any)")
      #expect(calls.pids.isEmpty)
    }
  }

  @Test("An open that must not ask fails at once") func notInteractive() async throws {
    try await Testbed.run { world in
      try await installCalls(in: world)
      _ = try await world.confirmationAgent()
      var options = OpenOptions()
      options.interactive = false
      await #expect(
        throws: Refusal(
          "ConfirmationUnavailable",
          "the user must confirm this open, but its option 'interactive' does not allow a question."
            + " No answer to this question is remembered; the row facetime-application-macos of the setting"
            + " Confirmations switches the question off (OSStatus error -54)"
        )
      ) { try await world.client.open(Self.url, options) }
    }
  }

  @Test("An agent that hangs holds up nobody else, and its question ends") func hangs() async throws
  {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>ConfirmationTimeout</key><integer>1</integer>")
      try await world.startDaemon()
      try await installCalls(in: world)
      try await world.install("com.example.photos", schemes: ["photos"])
      let agent = try await world.confirmationAgent()
      let open = world.client.opening(Self.url)
      _ = try await agent.isAsked()
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      #expect(!open.isAnswered)
      await #expect(throws: unavailable("there was no answer within 1 s")) {
        try await open.receipt()
      }
      try await agent.isWithdrawn()
    }
  }

  @Test("An opener that cancels is not asked about any more") func cancelled() async throws {
    try await Testbed.run { world in
      let calls = try await installCalls(in: world)
      let agent = try await world.confirmationAgent()
      var options = OpenOptions()
      options.cancellationID = "mine"
      let open = world.client.opening(Self.url, options)
      _ = try await agent.isAsked()
      try await world.client.cancelOpen("mine")
      await #expect(
        throws: Refusal(
          "Cancelled",
          "the opener cancelled it before the user had answered (OSStatus error -128)")
      ) { try await open.receipt() }
      try await agent.isWithdrawn()
      agent.answer(true)  // too late
      #expect(calls.pids.isEmpty)
    }
  }

  @Test("R4.15 an application from iOS asks before it calls, one of macOS does not")
  func profiles() async throws {
    try await Testbed.run { world in
      try await installCalls(in: world)
      let agent = try await world.confirmationAgent()
      let iOS = try await world.install("com.example.dialler", schemes: ["dialler"])
      let macOS = try await world.install("com.example.queue", schemes: ["queue"]) {
        $0.sdk = Profile.macOS.rawValue
      }
      _ = try await world.client.open("queue:1")
      _ = try await world.client.open("dialler:1")
      #expect(try await macOS.open("tel:1-408-555-5555").outcome == .deliveredCold)
      async let open = iOS.open("tel:1-408-555-5555")
      #expect(
        try await agent.isAsked()
          == .init(
            opener: "com.example.dialler", scheme: "tel", handler: Self.identifier,
            origin: "application", url: "tel:1-408-555-5555",
            sentence: "Let com.example.dialler call 1-408-555-5555 with com.example.calls?"))
      agent.answer(true)
      #expect(try await open.outcome == .deliveredWarm)
    }
  }

  @Test(
    "An application cannot answer for the user",
    arguments: [Asker.itself, .otherConnection, .child])
  func noSelfService(_ asker: Asker) async throws {
    try await Testbed.run { world in
      let evil = try await world.install("com.example.evil", schemes: ["evil"])
      _ = try await world.client.open("evil:1")
      let refusal = Refusal(
        "NotPermitted",
        "com.example.evil is an application, and applications may not answer confirmations for the user"
      )
      await #expect(throws: refusal) { try await evil.require(.becomeAgent, by: asker) }
      await #expect(throws: refusal) {
        try await evil.require(.approve(Self.identifier), by: asker)
      }
    }
  }

  @Test("A custom scheme from a browser is confirmed, and the question says that a page asks")
  func web() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let agent = try await world.confirmationAgent()
      // What a browser is to the kernel: a process with that executable above the opener.
      let browser = (world.environment["HOME"] ?? "") + "/firefox"
      try FileManager.default.copyItem(atPath: "/usr/bin/dash", toPath: browser)
      let lsopen = try #require(Example.program("lsopen"))
      let click = try world.startProcess(browser, ["-c", "\(lsopen) photos:1; exit $?"])
      #expect(
        try await agent.isAsked()
          == .init(
            opener: "@web", scheme: "photos", handler: "com.example.photos", origin: "web",
            url: "photos:1", sentence: "Let a web page open photos:1 with com.example.photos?"))
      agent.answer(true)
      #expect(try await click.hasEnded() == "exited with code 0")
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
    }
  }

  @Test("What a browser has started cannot settle its own question, nor hide behind a name")
  func browserSettles() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.friend")
      let friend = try world.startProcess(
        "lsregister",
        ["approvals", "allow", "photos", "com.example.photos", "--opener", "com.example.friend"])
      #expect(try await friend.hasEnded() == "exited with code 0")
      let browser = (world.environment["HOME"] ?? "") + "/chromium"
      try FileManager.default.copyItem(atPath: "/usr/bin/dash", toPath: browser)
      let lsopen = try #require(Example.program("lsopen"))
      let lsregister = try #require(Example.program("lsregister"))
      let settle = try world.startProcess(
        browser, ["-c", "\(lsregister) approvals allow photos com.example.photos; exit $?"])
      #expect(try await settle.hasEnded() == "exited with code 4")
      #expect(settle.lines.first?.contains("started by a browser") == true)
      let click = try world.startProcess(
        browser, ["-c", "\(lsopen) --as com.example.friend --no-ask photos:1; exit $?"])
      #expect(try await click.hasEnded() == "exited with code 4")
      #expect(click.lines.first?.contains("must confirm") == true, "\(click.lines)")
    }
  }

  @Test("A program that is called like the bridge is an application like any other")
  func falseBridge() async throws {
    try await Testbed.run { world in
      let folder = (world.environment["HOME"] ?? "") + "/evil"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let program = folder + "/launchservices-desktop"
      try FileManager.default.copyItem(atPath: "/usr/bin/dash", toPath: program)
      let list = folder + "/evil.plist"
      try Data(
        """
        <plist version="1.0"><dict>
          <key>CFBundleIdentifier</key><string>com.example.evil</string>
          <key>ProgramArguments</key><array><string>\(program)</string></array>
        </dict></plist>
        """.utf8
      ).write(to: URL(filePath: list))
      try await world.client.register(list)
      let lsregister = try #require(Example.program("lsregister"))
      // An executable of the application; nothing more is needed to be it.
      try FileManager.default.removeItem(atPath: program)
      try FileManager.default.copyItem(atPath: lsregister, toPath: program)
      try await world.client.register(list)
      let settle = try world.startProcess(program, ["approvals", "allow", "x", "com.example.evil"])
      #expect(try await settle.hasEnded() == "exited with code 4")
      #expect(settle.lines.first?.contains("com.example.evil is an application") == true)
    }
  }

  @Test("--explain says whether the user would be asked") func explained() async throws {
    try await Testbed.run { world in
      try await installCalls(in: world)
      let steps = try await world.client.explain(Self.url).steps
      #expect(
        steps.first { $0.step == "confirmation" }?.sentence
          == "the user is asked (row facetime-application-macos of the setting Confirmations)")
    }
  }

  @Test("The settings switch a row of the table") func switched() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings(
        "<key>Confirmations</key><dict><key>facetime-application-macos</key><false/></dict>")
      try await world.startDaemon()
      try await installCalls(in: world)
      #expect(try await world.client.open(Self.url).outcome == .deliveredCold)
    }
  }
}
