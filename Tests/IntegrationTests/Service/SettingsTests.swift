import Foundation
import LaunchServicesTesting
import Testing

@Suite("The settings file", .timeLimit(.minutes(30)))
struct SettingsTests {
  @Test("R4.3 CompletionSemantics invoked: the opener is answered when the application is invoked")
  func invoked() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      _ = try world.writeSettings("<key>CompletionSemantics</key><string>invoked</string>")
      try await world.startDaemon()
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .delegate(deliveries: [.wait, .answer(true)]))

      let receipt = try await world.client.open("photos:1")

      #expect(receipt.outcome == Outcome(.cold, .unacknowledged, handled: false))
      try await photos.isWaiting()
      #expect(photos.heard().last == .opened("photos:1"))
      // Its opener is not answered again.
      #expect(try await world.stopDaemon() == "exited with code 0")
    }
  }

  @Test(
    "F4 R4.3 CompletionSemantics invoked: sms:abc and tel: open the application without the URL, and succeed",
    arguments: ["sms:abc", "tel:"])
  func openedWithoutURL(_ url: String) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      _ = try world.writeSettings("<key>CompletionSemantics</key><string>invoked</string>")
      try await world.startDaemon()
      let phone = try await world.install(
        "com.example.phone", schemes: ["sms", "tel"], .delegate())
      let receipt = try await world.client.open(url)
      #expect(receipt.handler == "com.example.phone")
      #expect(receipt.outcome == Outcome(.cold, .withoutURL, handled: false))
      #expect(try await phone.next() == .started)
      #expect(try await phone.next() == .checkedIn(.launchOptions(nil)))
      #expect(try await phone.next() == .finishing)
      let again = try world.startProcess("lsopen", [url])
      #expect(try await again.hasEnded() == "exited with code 0")
      #expect(
        again.lines == [
          "lsopen: com.example.phone was opened without the URL, which would have no effect;"
            + " 'lsopen --explain' says why"
        ])
      let history = try world.startProcess("lsopen", ["--history", "2"])
      #expect(try await history.hasEnded() == "exited with code 0")
      #expect(history.lines.count { $0.contains("without-url") } == 2, "\(history.lines)")
      #expect(!history.lines.contains { $0.contains("delivered") }, "\(history.lines)")
      // With the default, the open fails, and the application is not opened.
      _ = try world.writeSettings("")
      try await world.restartDaemon()
      let refusal = await #expect(throws: Refusal.self) { try await world.client.open(url) }
      #expect(refusal?.name == Refusal("InvalidURL", "").name)
    }
  }

  @Test("The settings of the file hold, and the command line goes over them")
  func policy() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      _ = try world.writeSettings("<key>CollisionPolicy</key><string>first-installed</string>")
      try await world.startDaemon()
      try await world.install("com.example.b", schemes: ["x"]) { $0.place = .registered }
      try await world.install("com.example.a", schemes: ["x"]) { $0.place = .registered }
      #expect(try await world.client.defaultHandler("x") == "com.example.b")
      try await world.restartDaemon(["--collision-policy", "last-installed"])
      #expect(try await world.client.defaultHandler("x") == "com.example.a")
    }
  }

  @Test("A misspelt key is named, with the one that may be meant, and the others count")
  func misspelt() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let path = try world.writeSettings(
        "<key>LaunchTimeOut</key><integer>3</integer><key>LogRate</key><integer>50</integer>")
      try await world.startDaemon()
      #expect(
        try await world.daemon.line(containing: "LaunchTimeOut")
          == "launchservicesd: warning: config.plist: ignored unknown keys: LaunchTimeOut"
          + " (did you mean LaunchTimeout?) file=\(path)")
    }
  }

  @Test("A value that is not allowed costs that key alone, and the warning says what is allowed")
  func wrongValue() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let path = try world.writeSettings(
        "<key>LaunchTimeout</key><integer>0</integer>"
          + "<key>CompletionSemantics</key><string>invoked</string>")
      try await world.startDaemon()
      #expect(
        try await world.daemon.line(containing: "LaunchTimeout")
          == "launchservicesd: warning: config.plist: LaunchTimeout: 0 is not allowed (whole number"
          + " of seconds, 1 to 1000000000); using the default, 20 file=\(path)")
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .delegate(deliveries: [.wait, .answer(true)]))
      let receipt = try await world.client.open("photos:1")
      #expect(receipt.outcome == Outcome(.cold, .unacknowledged, handled: false))
      try await photos.isWaiting()
    }
  }

  @Test("A file that is no property list: the log says why, and the defaults count")
  func noPropertyList() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let path = try world.writeSettings("<key>LogLevel</key><text>error</text>")
      try await world.startDaemon()
      #expect(
        try await world.daemon.line(containing: "config.plist")
          == "launchservicesd: error: config.plist: not used: the XML is not a property list (the"
          + " decoder says: Encountered unknown tag text); using the default of every setting"
          + " file=\(path)")
      try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    }
  }
}
