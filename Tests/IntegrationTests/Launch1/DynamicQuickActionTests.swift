import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@Suite("Dynamic quick actions", .timeLimit(.minutes(30)))
struct DynamicQuickActionTests {
  static let identifier = "com.example.photos"
  static let new = TestShortcutItem("new", title: "New Album")
  static let vacation = TestShortcutItem(
    "open", title: "Vacation", userInfo: ["album": "Vacation\u{1}"])

  /// An application with one static quick action that runs.
  @MainActor static func launch(
    in world: Testbed, _ script: HandlerScript = .delegate(),
    place: TestApplication.Place = .userFolder
  ) async throws -> ScriptedHandler {
    let photos = try await world.install(identifier, schemes: ["photos"], script) {
      $0.shortcutItems = ["static"]
      $0.place = place
    }
    _ = try await world.client.open("photos:1")
    _ = photos.heard()
    return photos
  }

  /// The types that are shown.
  @MainActor static func shown(in world: Testbed) async throws -> [String] {
    let list = try await world.client.entry(of: identifier)?["shortcut-items"]?.elements ?? []
    return list.compactMap { $0.elements?.first?.asString }
  }

  @Test(
    "R1.40 static ones come first, dynamic ones fill the rest of four; each set replaces the last")
  func shownOnes() async throws {
    try await Testbed.run { world in
      let photos = try await Self.launch(in: world)
      #expect(try await Self.shown(in: world) == ["static"])
      try await photos.setShortcutItems((1...5).map { TestShortcutItem("\($0)", title: "T\($0)") })
      #expect(try await Self.shown(in: world) == ["static", "1", "2", "3"])
      try await photos.setShortcutItems([Self.new])
      #expect(try await Self.shown(in: world) == ["static", "new"])
      try await photos.setShortcutItems([])
      #expect(try await Self.shown(in: world) == ["static"])
    }
  }

  @Test("lsregister show lists those that are shown")
  func command() async throws {
    try await Testbed.run { world in
      let photos = try await Self.launch(in: world)
      try await photos.setShortcutItems([Self.new])
      let text = try world.startProcess("lsregister", ["show", Self.identifier])
      #expect(try await text.hasEnded() == "exited with code 0")
      let rows = text.lines.filter { $0.hasPrefix("shortcut-items") }
      #expect(
        rows.map { $0.split(separator: " ").joined(separator: " ") } == [
          "shortcut-items static static", "shortcut-items new New Album",
        ])
      let json = try world.startProcess("lsregister", ["show", "--json", Self.identifier])
      #expect(try await json.hasEnded() == "exited with code 0")
      try await json.line(
        containing: #""shortcut-items":[{"type":"static","title":"static"},"#
          + #"{"type":"new","title":"New Album"}]"#)
    }
  }

  @Test(
    "R5.22 one is performed warm with its user-info; one that is not shown is there all the same")
  func warm() async throws {
    try await Testbed.run { world in
      let photos = try await Self.launch(in: world)
      let fillers = (1...4).map { TestShortcutItem("\($0)", title: "T\($0)") }
      try await photos.setShortcutItems(fillers + [Self.vacation])
      let receipt = try await world.client.performQuickAction("open", of: Self.identifier)
      #expect(receipt.outcome == .deliveredWarm)
      #expect(photos.heard() == [.performed("open", userInfo: Self.vacation.userInfo)])
    }
  }

  static let styles: [(HandlerScript, LaunchReason, Bool)] = [
    (
      HandlerScript.delegate(deliveries: [.answer(true)], [.answer(true), .exit(0)]),
      .launchOptions(shortcutItem: "open", hints: LaunchHints(userInfo: vacation.userInfo)), true
    ),
    (
      HandlerScript(
        usesScenes: true, launch: [.checkIn(), .finishLaunching()],
        deliveries: [[.answer(true), .exit(0)]]),
      .connectionOptions(shortcutItem: "open", hints: LaunchHints(userInfo: vacation.userInfo)),
      false
    ),
  ]

  @Test("They outlive the application and the daemon, and launch it", arguments: styles)
  func cold(script: HandlerScript, reason: LaunchReason, performs: Bool) async throws {
    try await Testbed.run { world in
      let photos = try await Self.launch(in: world, script)
      try await photos.setShortcutItems([Self.vacation])
      _ = try await world.client.open("photos:2")
      try await photos.hasLeftTheBus()
      #expect(try await Self.shown(in: world) == ["static", "open"])
      try await world.restartDaemon()
      #expect(try await Self.shown(in: world) == ["static", "open"])
      _ = photos.heard()

      let receipt = try await world.client.performQuickAction("open", of: Self.identifier)

      #expect(receipt.outcome == .deliveredCold)
      let performed: [HandlerEvent] =
        performs ? [.performed("open", userInfo: Self.vacation.userInfo)] : []
      #expect(photos.heard() == [.started, .checkedIn(reason), .finishing] + performed)
    }
  }

  @Test("They outlive the daemon also where the desktop has applications, which are read first")
  func desktop() async throws {
    try await Desktop.run { world, desktop in
      try desktop.write(
        desktop.entries + "/editor.desktop",
        """
        [Desktop Entry]
        Type=Application
        Name=Editor
        Exec=/usr/bin/python3 \(desktop.program) editor %u
        MimeType=x-scheme-handler/edit;
        """)
      try await world.client.reload()
      let photos = try await Self.launch(in: world)
      try await photos.setShortcutItems([Self.new])
      for _ in 1...3 {
        try await world.restartDaemon()
        #expect(try await Self.shown(in: world) == ["static", "new"])
        let editor = try await world.client.entry(of: "editor.desktop")
        #expect(editor != nil)
      }
    }
  }

  @Test("They go when the application is unregistered, and do not come back with it")
  func unregistered() async throws {
    try await Testbed.run { world in
      let photos = try await Self.launch(in: world, place: .registered)
      try await photos.setShortcutItems([Self.new])
      try await world.client.unregister(Self.identifier)
      await #expect(
        throws: Refusal("NotRegistered", "com.example.photos was unregistered")
      ) { try await photos.setShortcutItems([Self.new]) }
      try await world.client.register(photos.path)
      #expect(try await Self.shown(in: world) == ["static"])
      try await world.restartDaemon()
      #expect(try await Self.shown(in: world) == ["static"])
    }
  }

  @Test(
    "Only the connection that checked in may set them", arguments: [Asker.otherConnection, .child])
  func others(asker: Asker) async throws {
    try await Testbed.run { world in
      let photos = try await Self.launch(in: world)
      await #expect(
        throws: Refusal("NotPermitted", "call CheckIn before SetShortcutItems")
      ) { try await photos.setShortcutItems([Self.new], by: asker) }
      #expect(try await Self.shown(in: world) == ["static"])
    }
  }

  static func item(_ more: Options) -> Options {
    ["type": .string("t"), "title": .string("T")].merging(more) { $1 }
  }

  static func nested(_ depth: Int) -> Value {
    (0..<depth).reduce(.string("x")) { value, _ in .variant(value) }
  }

  static let invalid = "org.freedesktop.DBus.Error.InvalidArgs"

  static let vectors: [([Options], Refusal)] = [
    ([["title": .string("T")]], Refusal(invalid, "items[0]: 'type' s is missing or empty")),
    (
      [item([:]), item(["title": .string("")])],
      Refusal(invalid, "items[1]: 'title' s is missing or empty")
    ),
    (
      [item(["subtitle": .byte(1)])],
      Refusal(invalid, "option 'subtitle' must be of type s, not y")
    ),
    (
      [item(["icon": .string(String(repeating: "x", count: 1025))])],
      Refusal(invalid, "items[0]: 'icon' has 1025 bytes; at most 1024 are kept")
    ),
    (
      [item(["user-info": .options(["k": .string(String(repeating: "x", count: 4096))])])],
      Refusal(
        invalid,
        "items[0]: 'user-info' may have 4096 bytes and be nested 8 deep, not 4114 bytes and 3 deep")
    ),
    (
      [item(["user-info": .options(["k": nested(6)])])],
      Refusal(
        invalid,
        "items[0]: 'user-info' may have 4096 bytes and be nested 8 deep, not 37 bytes and 9 deep")
    ),
    (
      [item(["user-info": .options(["k": .objectPath("/x")])])],
      Refusal(
        invalid,
        "items[0]: 'user-info' contains what cannot be kept; use texts, booleans, numbers, arrays and"
          + " dictionaries")
    ),
    (
      Array(repeating: item([:]), count: 17),
      Refusal(
        "LimitExceeded",
        "at most 16 dynamic quick actions are kept for an application (OSStatus error -10810)")
    ),
  ]

  @Test("What cannot be kept is refused, naming the item and the key", arguments: vectors)
  func refused(items: [Options], refusal: Refusal) async throws {
    try await Testbed.run { world in
      await #expect(throws: refusal) { try await world.client.setShortcutItems(items) }
    }
  }
}
