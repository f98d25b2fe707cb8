import BusContract
import DBus
import LaunchServicesTesting
import Testing

@MainActor @Suite("Opening an application itself", .timeLimit(.minutes(30)))
struct OpenApplicationTests {
  static let identifier = "com.example.photos"

  @Test("R6.15 cold: launched, told no reason, and answered when it has finished launching")
  func cold() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, .delegate(will: false, did: false))
      let receipt = try await world.client.openApplication(Self.identifier)
      #expect(receipt.outcome == .deliveredCold)
      #expect(receipt.pid == photos.pids.last)
      #expect(photos.heard() == [.started, .checkedIn(.launchOptions()), .finishing])
      #expect(try await world.client.states() == [Self.identifier: "active"])
    }
  }

  @Test("R5.32 warm: it comes to the front, and hears that it was opened once more")
  func warm() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, .scene())
      let notes = try await world.install("com.example.notes")
      _ = try await world.client.openApplication(Self.identifier)
      _ = try await world.client.openApplication("com.example.notes", activate: false)
      #expect(
        try await world.client.states()
          == [Self.identifier: "active", "com.example.notes": "background"])
      _ = (photos.heard(), notes.heard())
      var options = OpenOptions()
      options.activationToken = "token"
      let receipt = try await world.client.openApplication("com.example.notes", options)
      #expect(receipt.outcome == .deliveredWarm)
      #expect(notes.heard() == [.reopened(activationToken: "token")])
      #expect(
        try await world.client.states()
          == [Self.identifier: "background", "com.example.notes": "active"])
      #expect(photos.heard() == [])
    }
  }

  @Test("One that does not know of it comes to the front all the same")
  func unknownMethod() async throws {
    try await Testbed.run { world in
      try await Example.pythonHandler.register(in: world)
      let identifier = "com.example.python-handler"
      #expect(try await world.client.openApplication(identifier).outcome == .deliveredCold)
      #expect(try await world.client.openApplication(identifier).outcome == .deliveredWarm)
    }
  }

  @Test("An application of the freedesktop world is activated")
  func freedesktop() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox()
      let paintBox = try BusApplication(in: world)
      let receipt = try await world.client.openApplication(BusApplication.identifier)
      #expect(receipt.outcome == .deliveredWarm)
      #expect(
        paintBox.heard == [
          "\(BusApplication.path) org.freedesktop.Application.Activate\([Value.options([:])])"
        ])
    }
  }

  @Test("R5.33 a new instance, and what waits for the launch goes on after it")
  func order() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"]) {
        $0.sdk = "macosx26.0"
      }
      async let application = world.client.openApplication(Self.identifier)
      async let url = world.client.open("photos:1")
      #expect(try await [application.outcome, url.outcome].contains(.deliveredCold))
      #expect(photos.pids.count == 1)
      #expect(
        try await world.client.openApplication(Self.identifier, newInstance: true).outcome
          == .deliveredCold)
      #expect(photos.pids.count == 2)
    }
  }

  @Test("A request-id is good for one open, and is recorded as every other")
  func repeated() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier)
      var options = OpenOptions()
      options.requestID = "one"
      _ = try await world.client.openApplication(Self.identifier, options)
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await world.client.openApplication(Self.identifier, options).isRepeated)
      #expect(photos.pids.count == 1)
      let history = try await world.client.call(Contract.history(HistoryOptions()))
      #expect(history.first?.asOptionsList?.first?["url"]?.asString == Self.identifier)
    }
  }

  @Test("One that is not registered is an error")
  func unknown() async throws {
    try await Testbed.run { world in
      await #expect(
        throws: Refusal(
          "ApplicationNotFound",
          "no application com.example.none is registered (OSStatus error -10814)")
      ) { try await world.client.openApplication("com.example.none") }
    }
  }

  @Test("R3.3 an application of iOS learns nothing of others by it")
  func sandboxed() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"]) {
        $0.sdk = "iphoneos26.0"
      }
      try await world.install("com.example.notes")
      _ = try await world.client.open("photos:1")
      for other in ["com.example.notes", "com.example.none"] {
        #expect(
          try await photos.refusal(of: .openApplication(other))
            == Refusal(
              "NotPermitted",
              "com.example.photos is an iOS application, which may open other applications only by URL"
                + " (OSStatus error -54)"))
      }
      let registry = Refusal(
        "NotPermitted",
        "com.example.photos is an iOS application, and only the user's own tools may use the registry"
      )
      #expect(try await photos.refusal(of: .findApplications(name: "notes")) == registry)
      #expect(try await photos.refusal(of: .watchApplications) == registry)
      #expect(try await world.client.states() == [Self.identifier: "active"])
    }
  }
}
