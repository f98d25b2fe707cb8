import Foundation
import LaunchServicesTesting
import Testing

@Suite("The settings file", .timeLimit(.minutes(10)))
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

  @Test("A misspelt key is named, and the others count") func misspelt() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      _ = try world.writeSettings(
        "<key>LaunchTimeOut</key><integer>3</integer><key>LogRate</key><integer>50</integer>")
      try await world.startDaemon()
      #expect(
        try await world.daemon.line(containing: "LaunchTimeOut")
          == "launchservicesd: warning: the settings file has keys that mean nothing; the others"
          + " count keys=LaunchTimeOut")
    }
  }

  @Test("A value that is not allowed: the daemon names file and key, and goes on with the defaults")
  func wrongValue() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let path = try world.writeSettings("<key>LaunchTimeout</key><integer>0</integer>")
      try await world.startDaemon()
      let line = try await world.daemon.line(containing: "LaunchTimeout")
      #expect(
        line
          == "launchservicesd: error: the settings file is not used, and the defaults count"
          + " reason=\"\(path): LaunchTimeout: allowed are whole numbers from 1 to 1,000,000,000\"")
      try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    }
  }
}
