import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite("An application that exports org.freedesktop.Application", .timeLimit(.minutes(30)))
struct NamedApplicationTests {
  static let url = "paint-box:%C3%9Cn%20?a=b&c=%C3%A4#+"

  @Test("It owns its name, so it runs: the URL comes by Open, byte for byte, and once")
  func warm() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      let paint = try BusApplication(in: world)
      let receipt = try await world.client.open(Self.url)
      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == getpid())
      #expect(paint.heard == [BusApplication.open(Self.url)])
      // By another process: this one is the application, which may not ask.
      let apps = try world.startProcess("lsregister", ["apps"])
      try await apps.line(containing: "\(BusApplication.identifier)  active")
    }
  }

  @Test("R5.35 an activation token is in the platform data, under its new and its old name")
  func token() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      let paint = try BusApplication(in: world)
      var options = OpenOptions()
      options.activationToken = "token-1"
      _ = try await world.client.open("paint-box:1", options)
      _ = try await world.client.open("paint-box:2")
      #expect(
        paint.heard == [
          BusApplication.open(
            "paint-box:1",
            [
              "activation-token": .string("token-1"), "desktop-startup-id": .string("token-1"),
            ]), BusApplication.open("paint-box:2"),
        ])
    }
  }

  @Test("R5.22 a quick action is ActivateAction, never a URL") func quickAction() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS) { $0.shortcutItems = ["clear"] }
      let paint = try BusApplication(in: world)
      let receipt = try await world.client.performQuickAction(
        "clear", of: BusApplication.identifier)
      #expect(receipt.outcome == .deliveredWarm)
      let arguments: [Value] = [.string("clear"), .array(of: "v", []), .options([:])]
      #expect(
        paint.heard
          == ["\(BusApplication.path) org.freedesktop.Application.ActivateAction\(arguments)"])
    }
  }

  @Test("An error is the answer of the handler, and the next URL goes to it as well")
  func refuses() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      let paint = try BusApplication(in: world)
      paint.manner = .refusing("no colours")
      await #expect(
        throws: Refusal(
          "HandlerRefused",
          "\(BusApplication.identifier) refused the delivery:"
            + " no colours (OSStatus error -10810)")
      ) { try await world.client.open("paint-box:1") }
      paint.manner = .returning
      #expect(try await world.client.open("paint-box:2").outcome == .deliveredWarm)
    }
  }

  @Test("One that gives up its name instead of answering has lost the URL")
  func leaves() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      let paint = try BusApplication(in: world)
      paint.manner = .leaving
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(BusApplication.identifier) ended before it acknowledged the delivery: it left the bus"
            + " (OSStatus error -600)")
      ) { try await world.client.open("paint-box:1") }
      #expect(try await world.client.states().isEmpty)
    }
  }

  @Test("One that hangs is asked again for the next URL, as long as it owns its name")
  func hangs() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>DeliveryTimeout</key><integer>1</integer>")
      try await world.startDaemon()
      try await world.installPaintBox(profile: .macOS)
      let paint = try BusApplication(in: world)
      paint.manner = .hanging
      await #expect(
        throws: Refusal(
          "HandlerTimedOut",
          "\(BusApplication.identifier) did not answer the delivery within 1 s"
            + " (OSStatus error -1712)")
      ) { try await world.client.open("paint-box:1") }
      paint.manner = .returning
      #expect(try await world.client.open("paint-box:2").outcome == .deliveredWarm)
      #expect(
        paint.heard == [
          BusApplication.open("paint-box:1"), BusApplication.open("paint-box:2"),
        ])
    }
  }

  @Test("The next daemon finds it by its name") func nextDaemon() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      let paint = try BusApplication(in: world)
      _ = try await world.client.open("paint-box:1")
      try await world.restartDaemon()
      #expect(try await world.client.open("paint-box:2").outcome == .deliveredWarm)
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await world.client.open("paint-box:3").outcome == .deliveredWarm)
      #expect(paint.heard == (1...3).map { BusApplication.open("paint-box:\($0)") })
    }
  }

  @Test("R3.3 it asks under its own allowlist: owning the name says who it is")
  func identity() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox { $0.queries = ["known"] }
      try await world.install("com.example.other", schemes: ["known", "unknown"])
      let paint = try BusApplication(in: world)
      _ = try await world.client.open("paint-box:1")
      let asking = TestClient(on: paint.session)
      #expect(try await asking.canOpen("known:"))
      #expect(try await !asking.canOpen("unknown:"))
    }
  }

  @Test("One that checks in after all is spoken to as any application of ours")
  func checksIn() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      let paint = try BusApplication(in: world)
      _ = try await world.client.open("paint-box:1")
      let asking = TestClient(on: paint.session)
      let answer = try await asking.call(
        Contract.checkIn(CheckInOptions(bundleIdentifier: BusApplication.identifier)))
      #expect(answer == [.options(["launch-options": .options([:])])])
      _ = try await asking.call(Contract.finishLaunching(will: nil, did: true))
      let receipt = try await world.client.open("paint-box:2")
      #expect(receipt.outcome == .deliveredWarm)
      #expect(paint.heard.first == BusApplication.open("paint-box:1"))
      #expect(
        paint.heard.last?.hasPrefix("\(Contract.applicationPath) org.launchservices.Application1.")
          == true)
      paint.leave()
      #expect(try await world.client.open("paint-box:3").pid == getpid())
    }
  }

  @Test("Nothing is sent to the owner of a name whose property list does not say so")
  func notActivatable() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS) { $0.otherKeys = [:] }
      let paint = try BusApplication(in: world)
      await #expect(throws: Refusal.self) { try await world.client.open("paint-box:1") }
      #expect(paint.heard.isEmpty)
    }
  }

  // MARK: Launches

  @Test("A program that ends without its name is a failed launch") func endsAtOnce() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(BusApplication.identifier) ended while launching: exited with code 0"
            + " (OSStatus error -600)")
      ) { try await world.client.open("paint-box:1") }
    }
  }

  @Test("A program that never owns its name is ended by the watchdog") func neverReady()
    async throws
  {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>LaunchTimeout</key><integer>1</integer>")
      try await world.startDaemon()
      try await world.installPaintBox(
        profile: .macOS,
        program: .file("#!/bin/sh\nexec sleep 1000\n", permissions: 0o755))
      await #expect(
        throws: Refusal(
          "LaunchTimedOut",
          "\(BusApplication.identifier) did not check in within 1 s (OSStatus error -1712)")
      ) { try await world.client.open("paint-box:1") }
    }
  }

  @Test("One that ignores SIGTERM and owns its name again is ended with SIGKILL all the same")
  func ignoresTermination() async throws {
    try await Testbed.run { world in
      let name = BusApplication.identifier
      let paint = try await world.installPaintBox(profile: .macOS, program: .scripted) {
        $0.script = HandlerScript(
          launch: [.ignoreTermination, .own(name)],
          deliveries: [[.release(name), .own(name), .release(name), .own(name)]])
      }
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(name) ended before it acknowledged the delivery: it left the bus, and was ended by"
            + " SIGKILL (signal 9) (OSStatus error -600)")
      ) { try await world.client.open("paint-box:1") }
      #expect(paint.heard() == [.started, .opened("paint-box:1")])
      #expect(try await world.client.states().isEmpty)
    }
  }

  @Test("A service that the bus cannot start is passed over, and the program is started")
  func brokenService() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox(profile: .macOS)
      try await world.addBusService(BusApplication.identifier, "/nowhere/program")
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(BusApplication.identifier) ended while launching: exited with code 0"
            + " (OSStatus error -600)")
      ) { try await world.client.open("paint-box:1") }
      try await world.daemon.line(containing: "its program is started instead")
    }
  }

  @Test("A service that owns its name too late is a launch that timed out")
  func lateService() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>LaunchTimeout</key><integer>1</integer>")
      try await world.startDaemon()
      try await world.installPaintBox(profile: .macOS)
      try await world.addBusService(BusApplication.identifier, "/bin/sleep 1000")
      await #expect(
        throws: Refusal(
          "LaunchTimedOut",
          "\(BusApplication.identifier) did not check in within 1 s (OSStatus error -1712)")
      ) { try await world.client.open("paint-box:1") }
      #expect(try await world.client.states().isEmpty)
      // Somebody else starts it in the meantime.
      let paint = try BusApplication(in: world)
      #expect(try await world.client.open("paint-box:2").outcome == .deliveredWarm)
      #expect(paint.heard == [BusApplication.open("paint-box:2")])
    }
  }

  @Test("R5.33 it has no second instance") func oneInstance() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox { $0.sdk = "macosx26.0" }
      let paint = try BusApplication(in: world)
      _ = try await world.client.open("paint-box:1")
      await #expect(throws: Refusal.self) {
        try await world.client.open("paint-box:2", newInstance: true)
      }
      #expect(paint.heard.count == 1)
    }
  }
}
