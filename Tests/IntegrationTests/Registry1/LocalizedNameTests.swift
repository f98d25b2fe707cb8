import LaunchServicesTesting
import Testing

@Suite("Names in the user's language", .timeLimit(.minutes(30)))
struct LocalizedNameTests {
  static let identifier = "com.example.photos"

  @MainActor static func install(
    in world: Testbed, _ files: [String: String], layout: TestApplication.Layout = .iOS,
    keys: [String: PropertyListValue] = ["CFBundleName": "Photos"]
  ) async throws {
    try await world.install(identifier, schemes: ["photos"]) {
      $0.otherFiles = files
      $0.otherKeys = keys
      $0.layout = layout
      $0.version = "1.2.3"
    }
  }

  /// What `lsregister` prints, with a blank between columns.
  @MainActor static func lsregister(
    _ arguments: [String], in world: Testbed, _ environment: [String: String]
  ) async throws -> [String] {
    let process = try world.startProcess("lsregister", arguments, environment: environment)
    _ = try await process.hasEnded()
    return process.lines.map { $0.split(separator: " ").joined(separator: " ") }
  }

  static let german = [
    "de.lproj/InfoPlist.strings": "CFBundleName = Fotos;",
    "en.lproj/InfoPlist.strings": "CFBundleName = Pictures;",
  ]

  static let locales: [([String: String], String)] = [
    (["LANG": "de_DE.UTF-8"], "Fotos"), (["LANG": "fr_FR.UTF-8"], "Photos"), ([:], "Photos"),
    (["LANG": "de", "LANGUAGE": "fr:en"], "Pictures"), (["LANG": "de", "LC_ALL": "C"], "Photos"),
  ]

  @Test("R1.8 lsregister list shows the name in the reader's language", arguments: locales)
  func list(environment: [String: String], name: String) async throws {
    try await Testbed.run { world in
      try await Self.install(in: world, Self.german)
      #expect(
        try await Self.lsregister(["list"], in: world, environment)
          == ["com.example.photos 1.2.3 not running photos \(name)"])
    }
  }

  @Test("R1.8 show has both names, and those of its URL types by their CFBundleURLName")
  func show() async throws {
    try await Testbed.run { world in
      try await Self.install(
        in: world,
        [
          "Contents/Resources/de.lproj/InfoPlist.strings":
            "\"CFBundleDisplayName\" = \"Meine Fotos\"; \"com.example.photos\" = \"Fotoadresse\";"
        ], layout: .macOS,
        keys: ["CFBundleName": "Photos", "CFBundleDisplayName": "My Photos"])
      let german = ["LANG": "de_DE.UTF-8"]
      let rows = try await Self.lsregister(["show", Self.identifier], in: world, german)
      for row in [
        "name My Photos", "localized-name Meine Fotos", "url-names com.example.photos",
        "localized-url-names Fotoadresse",
      ] { #expect(rows.contains(row), "\(rows)") }
      let json = try await Self.lsregister(["show", "--json", Self.identifier], in: world, german)
      #expect(json.first?.contains(#""localized-name":"Meine Fotos""#) == true)
    }
  }

  @Test("R1.11 a short name in the user's language does not go before a display name")
  func displayName() async throws {
    try await Testbed.run { world in
      try await Self.install(
        in: world, Self.german,
        keys: ["CFBundleName": "Photos", "CFBundleDisplayName": "My Photos"])
      #expect(
        try await Self.lsregister(["list"], in: world, ["LANG": "de"])
          == ["com.example.photos 1.2.3 not running photos My Photos"])
    }
  }

  @Test("A bad file is a warning of lint, and the application is called as its property list says")
  func bad() async throws {
    try await Testbed.run { world in
      try await Self.install(
        in: world, ["de.lproj/InfoPlist.strings": "CFBundleName = ", "fr.lproj/other": ""])
      #expect(
        try await Self.lsregister(["list"], in: world, ["LANG": "de"])
          == ["com.example.photos 1.2.3 not running photos Photos"])
      let bundle = world.applicationsFolder + "/com.example.photos.app"
      let lint = try await Self.lsregister(["lint", bundle], in: world, [:])
      #expect(lint.count == 1)
      #expect(
        lint.first?.hasPrefix(
          "\(bundle)/de.lproj/InfoPlist.strings: warning: it is not a strings file (") == true,
        "\(lint)")
      #expect(try await world.client.lint(bundle).count == 1)
    }
  }
}
