import Foundation
import LaunchServicesTesting
import Testing

/// What `lsregister` shows of the registry, and says of property lists beside it.
@MainActor @Suite("lsregister and what is registered", .timeLimit(.minutes(30)))
struct RegistryShownTests {
  private func lsregister(
    _ arguments: [String], in world: Testbed, code: Int = 0
  ) async throws -> [String] {
    let process = try world.startProcess("lsregister", arguments)
    #expect(try await process.hasEnded() == "exited with code \(code)")
    return process.lines
  }

  @Test("E3, F2: show has role, rank and icon file of each URL type, also as JSON") func show()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos") {
        $0.otherKeys["CFBundleURLTypes"] = [
          [
            "CFBundleURLName": "com.example.photos.link", "CFBundleTypeRole": "Editor",
            "LSHandlerRank": "Owner", "CFBundleURLIconFile": "link.icns",
            "CFBundleURLSchemes": ["photos", "pics"],
          ]
        ]
      }
      let lines = try await lsregister(["show", "com.example.photos"], in: world)
      let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
      #expect(
        words.contains(
          "url-type name=com.example.photos.link role=Editor rank=Owner icon=link.icns schemes=photos,pics"
        ),
        "\(lines)")
      let json = try await lsregister(["show", "--json", "com.example.photos"], in: world)
      #expect(
        json.first?.contains(
          #""url-types":[{"icon":"link.icns","name":"com.example.photos.link","rank":"Owner","role":"Editor","#
            + #""schemes":["photos","pics"]}]"#) == true, "\(json)")
    }
  }

  @Test(
    "E4, F3: lint --registry says who else claims a scheme and who would win, and what can never count"
  )
  func lint() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.mail", schemes: ["mailto"]) { $0.place = .systemFolder }
      try await world.install("com.example.photos", schemes: ["photos"])
      let folder = world.folder + "/Other.app"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let items = (1...5).map {
        "<dict><key>UIApplicationShortcutItemType</key><string>t\($0)</string>"
          + "<key>UIApplicationShortcutItemTitle</key><string>T</string></dict>"
      }.joined()
      try """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>Other</string>
      <key>CFBundleURLTypes</key><array>
      <dict><key>CFBundleURLName</key><string>one</string><key>LSHandlerRank</key><string>Alternate</string>
      <key>CFBundleURLSchemes</key><array><string>photos</string></array></dict>
      <dict><key>CFBundleURLName</key><string>one</string>
      <key>CFBundleURLSchemes</key><array><string>mailto</string></array></dict></array>
      <key>UIApplicationShortcutItems</key><array>\(items)</array>
      </dict></plist>
      """.write(toFile: folder + "/Info.plist", atomically: true, encoding: .utf8)
      for image in ["Default.png", "Default-photos.png", "Default-nobody@2x.png", "Icon.png"] {
        try "".write(toFile: folder + "/" + image, atomically: true, encoding: .utf8)
      }
      let lines = try await lsregister(["lint", "--registry", folder], in: world)
      let file = folder + "/Info.plist: "
      let found = lines.filter { $0.hasPrefix(file) }.map { String($0.dropFirst(file.count)) }
      let expected = """
        CFBundleIdentifier: warning: Other is not in reverse DNS form; another application may have the \
        same identifier: begin it with a domain of yours, such as com.example.other
        CFBundleURLTypes: warning: com.example.photos claims the scheme photos, too; \
        com.example.photos gets the URLs: another claim has a better LSHandlerRank; \
        'lsregister default photos Other' chooses this one
        CFBundleURLTypes: warning: the scheme mailto is reserved for com.example.mail; the claim has no \
        effect: claim a scheme of your own (R2.8)
        UIApplicationShortcutItems: warning: has 5 quick actions, and 4 are shown; the last 1 are never \
        seen: remove them (R1.40)
        note: "Default-nobody@2x.png" is the launch image of the scheme nobody, which is not claimed; \
        it is never shown: name it by a scheme that is claimed, or remove it (R1.41)
        """
      #expect(found.suffix(5).joined(separator: "\n") == expected, "\(lines)")
      let doubledName = """
        CFBundleURLTypes[1].CFBundleURLName: warning: two URL types have the CFBundleURLName "one"; one \
        localised name stands for this one and CFBundleURLTypes[0]: give each a name of its own (R1.8)
        """
      #expect(found.contains(doubledName), "\(lines)")
      try await world.install("com.example.copy", schemes: ["copy"])
      let copy = world.folder + "/Copy.plist"
      try """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.copy</string></dict></plist>
      """.write(toFile: copy, atomically: true, encoding: .utf8)
      let doubled = try await lsregister(["lint", "--registry", copy], in: world)
      #expect(
        doubled.contains {
          $0.hasPrefix(copy + ": CFBundleIdentifier: warning: ") && $0.contains("com.example.copy")
        },
        "\(doubled)")
      let nameless = world.folder + "/Nameless.plist"
      try "<plist version=\"1.0\"><dict></dict></plist>".write(
        toFile: nameless, atomically: true, encoding: .utf8)
      let missing = try await lsregister(["lint", "--registry", nameless], in: world, code: 1)
      #expect(
        missing.contains {
          $0.hasPrefix(nameless + ": CFBundleIdentifier: error: is missing; ")
        },
        "\(missing)")
      let without = try await lsregister(["lint", folder], in: world)
      #expect(!without.contains { $0.contains("com.example.photos") })
    }
  }

  @Test(
    "E4, F3: a claim on a reserved scheme loses where a system application has the scheme, and only there",
    arguments: [true, false])
  func reserved(hasSystemApplication: Bool) async throws {
    try await Testbed.run { world in
      if hasSystemApplication {
        try await world.install("com.example.mail", schemes: ["mailto"]) {
          $0.place = .systemFolder
        }
      }
      let other = try await world.install("com.example.other", schemes: ["mailto"])
      let remarks = try await lsregister(["lint", "--registry", other.path], in: world).filter {
        $0.contains("mailto")
      }
      let opened = try await world.client.open("mailto:ann@b.example")
      if hasSystemApplication {
        #expect(remarks.count == 1)
        #expect(
          remarks.first?.hasSuffix(
            ": CFBundleURLTypes: warning: the scheme mailto is reserved for com.example.mail; the claim"
              + " has no effect: claim a scheme of your own (R2.8)") == true, "\(remarks)")
        #expect(opened.handler == "com.example.mail")
      } else {
        #expect(remarks == [])
        #expect(opened.handler == "com.example.other")
      }
    }
  }

  @Test("E4: an application whose stand-in is registered is no double of itself") func standIn()
    async throws
  {
    try await Testbed.run { world in
      let folder = world.folder
      func write(_ name: String) throws -> String {
        let file = folder + "/" + name
        try """
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app</string>
        <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
        <array><string>myapp</string></array></dict></array></dict></plist>
        """.write(toFile: file, atomically: true, encoding: .utf8)
        return file
      }
      let file = try write("X.plist")
      try FileManager.default.createSymbolicLink(
        atPath: world.folder + "/Link.plist", withDestinationPath: file)
      _ = try await lsregister(["add", "--stub", file], in: world)
      for path in [file, world.folder + "/Link.plist"] {
        #expect(try await lsregister(["lint", "--registry", path], in: world) == [], "\(path)")
      }
      // Another file with the identifier is a double.
      let copy = try await lsregister(["lint", "--registry", try write("Y.plist")], in: world)
      #expect(copy.count == 1)
      #expect(copy.first?.contains(" has the identifier com.example.app, too; ") == true, "\(copy)")
    }
  }
}
