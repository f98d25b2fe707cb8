import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// What stands in the README works as it stands there.
@MainActor @Suite("The README", .timeLimit(.minutes(30)))
struct ReadmeTests {
  /// A handler in Python, and what it needs.
  enum PythonHandler: String, CaseIterable {
    /// With the module `launchservices`.
    case readme = "README.md"
    /// With D-Bus alone.
    case guide = "Sources/LaunchServices/LaunchServices.docc/DBusHandlers.md"

    var isPossible: Bool {
      switch self {
      case .readme:
        FileManager.default.fileExists(
          atPath: "/usr/lib/python3/dist-packages/jeepney/__init__.py")
      case .guide: OtherExampleTests.hasPython
      }
    }

    static var possible: [Self] { allCases.filter(\.isPossible) }
  }

  /// The first block of code in a language.
  private func block(_ language: String, in document: String = "README.md") throws -> String {
    let root = URL(filePath: Example.folder).deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
    let start = try #require(text.range(of: "```\(language)\n"))
    let end = try #require(text.range(of: "```\n", range: start.upperBound..<text.endIndex))
    return String(text[start.upperBound..<end.lowerBound])
  }

  private func register(
    _ handler: PythonHandler, in world: Testbed, with keys: String = ""
  ) async throws {
    let program = world.folder + "/handler.py"
    try block("python", in: handler.rawValue).write(
      toFile: program, atomically: true, encoding: .utf8)
    let propertyList = world.folder + "/mini.plist"
    try """
    <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>com.example.mini</string>
      <key>ProgramArguments</key><array>
        <string>/usr/bin/python3</string><string>\(program)</string></array>
      <key>CFBundleURLTypes</key><array><dict>
        <key>CFBundleURLSchemes</key><array><string>mini</string></array></dict></array>
      <key>LSEnvironment</key><dict>
        <key>PYTHONPATH</key><string>\(Fixture.package.path)/Sources/pytest-launchservices/src</string>
      </dict>
      \(keys)
    </dict></plist>
    """.write(toFile: propertyList, atomically: true, encoding: .utf8)
    try await world.client.register(propertyList)
  }

  @Test("E2 its handler in Swift is the example photos, and prints a sender of its own team")
  func swift() async throws {
    for (language, file) in [("swift", "AppDelegate.swift"), ("xml", "photos.plist")] {
      let example = try String(contentsOfFile: "\(Example.folder)/photos/\(file)", encoding: .utf8)
      #expect(try block(language) == example)
    }
    try await Testbed.run { world in
      try await Example.photos.register(in: world)
      try await Example.iapp.register(in: world)
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      try await world.daemon.line(containing: "open photos:1 for somebody")
      _ = try await world.client.open("photos:2", as: "com.example.iapp")
      try await world.daemon.line(containing: "open photos:2 for com.example.iapp")
    }
  }

  @Test("its scenario passes, from the folder of the sources") func scenario() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      // Its path of the property list is relative to the file.
      let text = try block("json").replacing("Examples/", with: "\(Example.folder)/")
      let file = world.folder + "/photos.lstest.json"
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let run = try world.startProcess("lstest", ["run", file])
      #expect(try await run.hasEnded() == "exited with code 0", "\(run.lines)")
      #expect(run.lines.last == "3 passed")
    }
  }

  /// The connection of a process.
  private func connection(of pid: Int32, _ client: TestClient) async throws -> BusName? {
    let bus: (String, [Value]) -> Message = {
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: MemberName($0) ?? "Ping", $1)
    }
    let names = try await client.call(bus("ListNames", [])).first?.asStrings ?? []
    for name in names where name.hasPrefix(":") {
      let owner = try? await client.call(bus("GetConnectionUnixProcessID", [.string(name)]))
      if owner?.first?.asUInt32 == UInt32(pid) { return BusName(name) }
    }
    return nil
  }

  @Test(
    "its handler in Python, and that of the guide, is started, obeys the daemon alone, and comes back to the next one",
    .enabled(
      if: PythonHandler.possible.count == PythonHandler.allCases.count,
      "needs the packages python3-jeepney, python3-dbus and python3-gi"),
    arguments: PythonHandler.possible)
  func python(_ source: PythonHandler) async throws {
    try await Testbed.run { world in
      try await register(source, in: world)

      let cold = try await world.client.open("mini:1")
      #expect(cold.outcome == .deliveredCold)
      try await world.daemon.line(containing: "open mini:1")
      let handler = try #require(try await connection(of: cold.pid, world.client))
      await #expect(throws: Refusal.self) {
        try await world.client.call(
          .call(
            to: handler, path: Contract.applicationPath, interface: Contract.application,
            member: "OpenURLs",
            [.array(of: "(sa{sv})", [.structure([.string("mini:x"), .options([:])])])]))
      }
      try await world.killDaemon()
      try await world.startDaemon()
      let warm = try await world.client.open("mini:2")
      #expect(warm.outcome == .deliveredWarm)
      #expect(warm.pid == cold.pid)
      #expect(!world.daemon.lines.contains("open mini:x"))
    }
  }

  @Test(
    "H1 its handler in Python is given its URL by a call, whatever the property list declares",
    .enabled(
      if: PythonHandler.possible.count == PythonHandler.allCases.count,
      "needs the packages python3-jeepney, python3-dbus and python3-gi"),
    arguments: PythonHandler.possible,
    [
      "<key>UIApplicationSceneManifest</key><dict/>", "<key>LSBackgroundOnly</key><true/>",
      "<key>LSUIElement</key><string>1</string>", "<key>UIApplicationExitsOnSuspend</key><true/>",
      """
      <key>LSMinimumSystemVersion</key><string>10.15</string>
      <key>LSMultipleInstancesProhibited</key><true/>
      """,
      """
      <key>UIApplicationSceneManifest</key><dict/>
      <key>CFBundleDocumentTypes</key><array><dict>
        <key>LSItemContentTypes</key><array><string>public.data</string></array></dict></array>
      <key>UIApplicationShortcutItems</key><array><dict>
        <key>UIApplicationShortcutItemType</key><string>new</string>
        <key>UIApplicationShortcutItemTitle</key><string>New</string></dict></array>
      """,
    ])
  func everyKind(_ source: PythonHandler, _ keys: String) async throws {
    try await Testbed.run { world in
      try await register(source, in: world, with: keys)
      let cold = try await world.client.open("mini:1")
      #expect(cold.outcome == .deliveredCold)
      try await world.daemon.line(containing: "open mini:1")
    }
  }

  @Test(
    "H2 what the handler of the guide has no method for fails with a sentence that names the method",
    .enabled(
      if: OtherExampleTests.hasPython, "needs the packages python3-dbus and python3-gi"))
  func missingMethod() async throws {
    try await Testbed.run { world in
      try await register(
        .guide, in: world,
        with: """
          <key>UIApplicationShortcutItems</key><array><dict>
            <key>UIApplicationShortcutItemType</key><string>new</string>
            <key>UIApplicationShortcutItemTitle</key><string>New</string></dict></array>
          """)
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.performQuickAction("new", of: "com.example.mini")
      }
      #expect(refusal?.name == "org.launchservices.Error.HandlerRefused")
      #expect(
        refusal?.text.contains(
          "its program has no method PerformQuickAction of org.launchservices.Application1") == true
      )
      #expect(refusal?.text.contains("Traceback") == false)
    }
  }
}
