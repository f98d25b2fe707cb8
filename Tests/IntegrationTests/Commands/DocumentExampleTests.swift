import Foundation
import LaunchServicesTesting
import Testing

/// The examples of guides and manual pages, and the commands of the README, work as they stand there. `ReadmeTests`
/// has the handlers of the README.
@MainActor @Suite("Examples of documents", .timeLimit(.minutes(30)))
struct DocumentExampleTests {
  nonisolated static let guides = "Sources/LaunchServices/LaunchServices.docc"
  nonisolated static let manualPages = "systemd/man"

  /// The paths of all documents with examples, in this repository.
  nonisolated static let documents =
    ["README.md"]
    + [guides, manualPages].flatMap { folder in
      let files = try? FileManager.default.contentsOfDirectory(
        atPath: Fixture.package.appending(path: folder).path)
      return (files ?? []).filter { $0.contains(/\.(md|[1-8])$/) }.sorted().map {
        folder + "/" + $0
      }
    }

  private func content(_ path: String) throws -> String {
    try String(contentsOf: Fixture.package.appending(path: path), encoding: .utf8)
  }

  private func examples(_ document: String) throws -> [DocumentExample] {
    let text = try content(document)
    switch document {
    case "README.md": return try DocumentExample.inGuide(text).filter { $0.language == "sh" }
    case _ where document.hasSuffix(".md"): return try DocumentExample.inGuide(text)
    default: return try DocumentExample.inManualPage(text)
    }
  }

  @Test("are looked for in the guides and in the manual pages") func found() {
    for folder in [Self.guides, Self.manualPages] {
      #expect(Self.documents.contains { $0.hasPrefix(folder) })
    }
  }

  @Test("are run, or say why they are not", arguments: documents)
  func everyExample(_ document: String) throws {
    for example in try examples(document) where example.marker == nil {
      #expect(
        ["sh", "xml"].contains(example.language),
        "no test runs the example in \(example.language): \(example.text)")
    }
  }

  @Test("that are part of a file are the same as that file", arguments: documents)
  func parts(_ document: String) throws {
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    for example in try examples(document) {
      guard case .partOf(let path) = example.marker else { continue }
      #expect(lines(try content(path)).contains(lines(example.text)), "\(path): \(example.text)")
    }
  }

  nonisolated static let hasTools =
    OtherExampleTests.hasPython
    && ["gdbus", "update-desktop-database"].allSatisfy(IntrospectionTests.isInstalled)

  @Test(
    "end with the exit status, and print the text, that the document says",
    .enabled(
      if: hasTools,
      "needs the packages python3-dbus, python3-gi, libglib2.0-bin and desktop-file-utils"),
    arguments: documents)
  func runs(_ document: String) async throws {
    let examples = try examples(document).filter(\.isUsed)
    guard !examples.isEmpty else { return }
    try await Testbed.run { world in
      let reader = try await Reader(
        in: world, writesPhotos: !examples.contains { $0.marker == .file("Photos.plist") })
      for example in examples where example.language != "sh" { try await reader.use(example) }
      for example in examples where example.language == "sh" {
        for command in example.commands { try await reader.run(command) }
      }
    }
  }

  @Test("the example of the guide Testing") func testing() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"], .delegate(did: false))
      let receipt = try await world.client.open("photos:1")
      #expect(receipt.outcome == .init(.cold, .vetoed, handled: false))
    }
  }

  private let propertyList = Example.folder + "/photos/photos.plist"
  private let products = Example.products

  @Test func albumOpens() async throws {
    try await Testbed.run { world in
      try await world.client.register(propertyList, define: ["BUILT_PRODUCTS_DIR": products])
      let cold = try await world.client.open("photos:album/7")
      #expect(cold.outcome == .init(.cold, .delivered, handled: true))
      try await world.daemon.line(containing: "open photos:album/7")
      let warm = try await world.client.open("photos:album/8")
      #expect(warm.outcome == .init(.warm, .delivered, handled: true))
      #expect(try await !world.client.canOpen("maps:1", as: "com.example.photos"))
    }
  }

  @Test func callbacks() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"], .scene())
      _ = try await world.client.open("photos:1")
      #expect(
        photos.heard() == [
          .started, .checkedIn(.connectionOptions([OpenedURL("photos:1")])), .finishing,
        ])
      _ = try await world.client.open("photos:2")
      #expect(photos.heard() == [.opened("photos:2")])
    }
  }

  @Test func universalLink() async throws {
    try await Testbed.run { world in
      let shop = try await world.install("com.example.shop") {
        $0.team = "EXAMPLE123"
        $0.otherKeys["com.apple.developer.associated-domains"] = ["applinks:example.com"]
      }
      let file = world.folder + "/apple-app-site-association"
      try """
      {"applinks": {"details": [
        {"appIDs": ["EXAMPLE123.com.example.shop"], "components": [{"/": "/buy/*"}]}]}}
      """.write(toFile: file, atomically: true, encoding: .utf8)
      try await world.client.associate("example.com", with: file)
      _ = try await world.client.open("https://example.com/buy/1")
      #expect(shop.heard().last == .continued("https://example.com/buy/1"))
    }
  }

  @Test func explanation() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.mail")
      let why = try await world.client.explain("photos:1", as: "com.example.mail")
      #expect(why.canOpenCode == "not-listed")
      #expect(why.wouldOpen)
      #expect(why.handler == "com.example.photos")
      #expect(why.sentence(of: "url") == "the scheme is photos")
    }
  }
}

/// Somebody who does what documents say, with the files and applications that the documents name.
@MainActor private struct Reader {
  private let world: Testbed
  private let home: String
  private let fileManager: FileManagerOnBus

  init(in world: Testbed, writesPhotos: Bool) async throws {
    self.world = world
    home = try #require(world.environment["HOME"])
    fileManager = try FileManagerOnBus(in: world)
    try await world.installCoreTypes()
    try await writeFiles()
    try world.writeDesktopEntry("firefox-esr", schemes: ["https"])
    try world.writeDesktopEntry("transmission-gtk", schemes: ["magnet"])
    try world.writeDesktopEntry("gedit", name: "Text Editor")
    try await installApplications()
    try await world.client.reload()
    if writesPhotos { try await world.client.register(home + "/Projects/Photos/Photos.app") }
  }

  /// - Parameter path: below the home folder.
  private func write(_ path: String, _ text: String, isProgram: Bool = false) throws {
    let path = home + "/" + path
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    if isProgram {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
  }

  private func writeFiles() async throws {
    for name in ["notes.txt", "a.png", "b.png", "drawing.png", "holiday.jpg"] {
      try write(name, "text")
    }
    try write("Makefile", "all:\n\techo made\n")
    let photos = "#!/bin/sh\nexec '\(Fixture.program("photos"))' \"$@\"\n"
    try write("Projects/Photos/Photos.app/Photos", photos, isProgram: true)
    try write("Photos/.build/debug/Photos", photos, isProgram: true)
    try write(
      "Projects/Photos/Photos.app/Info.plist",
      """
      <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.photos</string>
        <key>CFBundleName</key><string>Photos</string>
        <key>CFBundleExecutable</key><string>Photos</string>
        <key>DTSDKName</key><string>macosx26.0</string>
        <key>CFBundleURLTypes</key><array><dict>
          <key>CFBundleURLSchemes</key><array><string>photos</string></array></dict></array>
      </dict></plist>
      """)
    try write(
      "App/Info.plist",
      """
      <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.other</string>
        <key>CFBundleExecutable</key><string>App</string>
        <key>CFBundleURLTypes</key><array><dict>
          <key>CFBundleURLName</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
          <key>CFBundleURLSchemes</key><array>
            <string>1app</string><string>other</string></array></dict></array>
      </dict></plist>
      """)
    try write(
      "aasa.json",
      """
      {"applinks": {"details": [
        {"appIDs": ["EXAMPLE123.com.example.app"], "components": [{"/": "/buy/*"}]}]}}
      """)
  }

  private func installApplications() async throws {
    for example in [Example.photoAlbum, .iapp, .pythonHandler] {
      try await example.register(in: world)
    }
    try await world.install("com.example.app", schemes: ["myapp"]) {
      $0.team = "EXAMPLE123"
      $0.sdk = "macosx26.0"
      $0.otherKeys["com.apple.developer.associated-domains"] = ["applinks:example.com"]
    }
    try await world.install("com.example.mail", schemes: ["mailto"]) { $0.sdk = "macosx26.0" }
    try await world.install(
      "com.example.viewer", opening: ["public.png", "public.jpeg", "public.plain-text"]
    ) { $0.sdk = "macosx26.0" }
  }

  /// The home folder of examples is that of this reader.
  private func adapted(_ text: String) -> String { text.replacing("/home/you", with: home) }

  /// Writes a file, or checks a property list.
  func use(_ example: DocumentExample) async throws {
    let isPropertyList = example.language == "xml"
    if isPropertyList, !example.text.contains("CFBundleIdentifier") {
      return try await useSettings(example.text)
    }
    var name = "example.plist"
    if case .file(let own) = example.marker { name = own }
    try write(name, adapted(example.text))
    guard isPropertyList else { return }
    let lint = try world.startProcess("lsregister", ["lint", home + "/" + name])
    #expect(try await lint.hasEnded() == "exited with code 0", "\(example.text)\(lint.lines)")
  }

  /// A daemon with the settings has nothing to remark about them.
  private func useSettings(_ text: String) async throws {
    let folder = try #require(world.environment["XDG_CONFIG_HOME"]) + "/launch-services"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: folder + "/config.plist", atomically: true, encoding: .utf8)
    try await world.restartDaemon()
    #expect(!world.daemon.lines.contains { $0.contains("config.plist") }, "\(world.daemon.lines)")
  }

  func run(_ command: DocumentExample.Command) async throws {
    var text = adapted(command.text)
    if command.isInterrupted { text = "timeout --signal=INT --preserve-status 1 \(text)" }
    try write(".example", text + "\n")
    let path = Example.products + ":" + (world.environment["PATH"] ?? "/usr/bin:/bin")
    let shell = try world.startProcess("bash", [home + "/.example"], environment: ["PATH": path])
    let statuses = command.isInterrupted ? [0, 130] : [command.status]
    let end = try await shell.hasEnded()
    #expect(
      statuses.contains { end == "exited with code \($0)" },
      "\(command.text): \(end) \(shell.lines)")
    let output = shell.lines.joined(separator: " ")
      .split(separator: " ").joined(separator: " ")
    #expect(
      command.output.isEmpty || output.contains(command.output), "\(command.text): \(shell.lines)")
  }
}
