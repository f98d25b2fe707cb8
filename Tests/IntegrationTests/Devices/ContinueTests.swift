import BusContract
import DBus
import Foundation
import LaunchRules
import LaunchServicesTesting
import Testing

@MainActor @Suite("lsopen --continue", .timeLimit(.minutes(30))) struct ContinueTests {
  static let reading = CurrentActivity(
    type: "com.example.reading", title: "Chapter 1", webpageURL: "https://notes.example/1?a=b#c")

  /// An application that has checked in.
  private func run(
    _ body: @MainActor (Testbed, TestClient) async throws -> Void
  ) async throws {
    try await Testbed.run(["--allow-unverified-check-in"]) { world in
      try await world.install("com.example.notes") {
        $0.otherKeys["NSUserActivityTypes"] = ["com.example.reading"]
      }
      let notes = try await world.newClient()
      _ = try await notes.call(
        Contract.checkIn(CheckInOptions(bundleIdentifier: "com.example.notes")))
      _ = try await notes.call(Contract.finishLaunching(will: nil, did: nil))
      try await body(world, notes)
    }
  }

  private func lsopen(
    _ arguments: String..., in world: Testbed, code: Int = 0
  ) async throws -> [String] {
    let process = try world.startProcess("lsopen", arguments)
    let end = try await process.hasEnded()
    #expect(end == "exited with code \(code)", "\(process.lines)")
    return process.lines
  }

  @Test("hands the web page of the current activity over, until the application resigns it")
  func handsOver() async throws {
    try await run { world, notes in
      let phone = try await StandIn.start(in: world)
      #expect(
        try await lsopen("--continue", "com.example.notes", "--on", "Pixel 7", in: world, code: 4)
          == [
            "lsopen: com.example.notes has no current activity; no application has one: a running application offers one"
              + " with NSUserActivityTypes in its property list and becomeCurrent()"
          ])
      _ = try await notes.call(Contract.setCurrentActivity(Self.reading))
      let json = try await lsopen(
        "--continue", "COM.example.notes", "--on", "Pixel 7", "--json", in: world)
      #expect(json.first?.contains(#""handler":"device:Pixel 7""#) == true, "\(json)")
      #expect(StandIn.shared(phone) == ["shared _a1_ https://notes.example/1?a=b#c"])
      #expect(
        try await lsopen("--continue", "com.example.other", "--on", "Pixel 7", in: world, code: 4)
          == [
            "lsopen: com.example.other has no current activity; applications with one: com.example.notes"
          ])
      _ = try await notes.call(Contract.setCurrentActivity(nil))
      _ = try await lsopen(
        "--continue", "com.example.notes", "--on", "Pixel 7", in: world, code: 4)
      _ = try await notes.call(
        Contract.setCurrentActivity(CurrentActivity(type: "com.example.reading")))
      #expect(
        try await lsopen("--continue", "com.example.notes", "--on", "Pixel 7", in: world, code: 4)
          .first?.contains("has no web page") == true)
      #expect(StandIn.shared(phone).count == 1)
    }
  }

  @Test("an activity ends with its process") func ends() async throws {
    try await run { world, notes in
      _ = try await notes.call(Contract.setCurrentActivity(Self.reading))
      try await world.disconnect(notes)
      let lines = try await lsopen(
        "--continue", "com.example.notes", "--on", "Pixel 7", in: world, code: 4)
      #expect(lines.first?.contains("; no application has one: ") == true, "\(lines)")
    }
  }

  @Test("a type must be declared, a page must be of the web, and the texts are bounded")
  func refused() async throws {
    try await run { _, notes in
      func name(_ activity: CurrentActivity) async -> String? {
        await #expect(throws: Refusal.self) {
          try await notes.call(Contract.setCurrentActivity(activity))
        }?.name
      }
      #expect(
        await name(CurrentActivity(type: "com.example.writing")) == Refusal("NotPermitted", "").name
      )
      #expect(
        await name(CurrentActivity(type: "com.example.reading", webpageURL: "file:///etc/passwd"))
          == Refusal("NotPermitted", "").name)
      let long = String(repeating: "x", count: CurrentActivity.longestTitle + 1)
      #expect(
        await name(CurrentActivity(type: "com.example.reading", title: long))
          == "org.freedesktop.DBus.Error.InvalidArgs")
    }
  }

  @Test("an application may neither read activities, nor offer one before its check-in")
  func access() async throws {
    try await run { world, notes in
      let reading = await #expect(throws: Refusal.self) {
        try await notes.call(Contract.currentActivities())
      }
      #expect(reading?.name == Refusal("NotPermitted", "").name)
      let stranger = await #expect(throws: Refusal.self) {
        try await world.newClient().call(Contract.setCurrentActivity(Self.reading))
      }
      #expect(stranger?.text.contains("call CheckIn before SetCurrentActivity") == true)
    }
  }

  @Test("a handler in Python offers its activity and ends it") func python() async throws {
    try await Testbed.run { world in
      let path = world.folder + "/reader.plist"
      try """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>com.example.reader</string>
      <key>NSUserActivityTypes</key><array><string>com.example.reader.article</string></array>
      <key>ProgramArguments</key><array>
      <string>/usr/bin/python3</string><string>\(Fixture.path("activity.py"))</string></array>
      <key>CFBundleURLTypes</key><array><dict>
      <key>CFBundleURLSchemes</key><array><string>reader</string></array></dict></array>
      </dict></plist>
      """.write(toFile: path, atomically: true, encoding: .utf8)
      try await world.client.register(path)
      let phone = try await StandIn.start(in: world)
      #expect(try await world.client.open("reader:1").outcome == .deliveredCold)
      _ = try await lsopen(
        "--continue", "com.example.reader", "--on", "Pixel 7", in: world)
      #expect(StandIn.shared(phone) == ["shared _a1_ https://example.com/article/1"])
      #expect(try await world.client.open("reader:end").outcome == .deliveredWarm)
      _ = try await lsopen(
        "--continue", "com.example.reader", "--on", "Pixel 7", in: world, code: 4)
    }
  }
}
