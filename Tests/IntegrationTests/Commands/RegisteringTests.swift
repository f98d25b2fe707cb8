import Foundation
import LaunchServicesTesting
import Testing

@MainActor @Suite("lsregister and the daemon", .timeLimit(.minutes(30)))
struct RegisteringTests {
  @Test("remove says that the application still runs, and it does")
  func removeRunning() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"]) { $0.place = .registered }
      let pid = try await world.client.open("photos:1").pid
      let remove = try world.startProcess("lsregister", ["remove", "com.example.photos"])
      #expect(try await remove.hasEnded() == "exited with code 0")
      #expect(
        try await remove.line(containing: "runs")
          == "lsregister: com.example.photos still runs, as process \(pid)")
    }
  }

  @Test("add registers, and says what is odd") func odd() async throws {
    try await Testbed.run { world in
      let path = world.folder + "/photos.plist"
      let text = """
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.photos</string>
        <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
        <array><string>photos</string><string>my photos</string></array></dict></array>
        </dict></plist>
        """
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let add = try world.startProcess("lsregister", ["add", path])
      #expect(try await add.hasEnded() == "exited with code 0")
      try await add.line(containing: "com.example.photos")
      let odd = try await add.line(containing: "my photos")
      #expect(
        odd == "lsregister: \(path): CFBundleURLTypes[0].CFBundleURLSchemes[1]: warning: "
          + "\"my photos\" contains a blank, which no scheme may; the scheme is not claimed: remove it"
      )
    }
  }

  @Test("add names the build variables without a value in the program, and how they get one")
  func openVariable() async throws {
    try await Testbed.run { world in
      let path = world.folder + "/photos.plist"
      try """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>com.example.photos</string>
      <key>ProgramArguments</key><array>
      <string>/usr/bin/python3</string><string>$(EXAMPLES_DIR)/handler.py</string></array>
      </dict></plist>
      """.write(toFile: path, atomically: true, encoding: .utf8)
      let add = try world.startProcess("lsregister", ["add", path])
      #expect(try await add.hasEnded() == "exited with code 0")
      let remark = try await add.line(containing: "EXAMPLES_DIR")
      #expect(
        remark.hasPrefix("lsregister: \(path): ProgramArguments[1]: note: ")
          && remark.contains("EXAMPLES_DIR="), "\(remark)")
      let defined = try world.startProcess(
        "lsregister", ["add", "--define", "EXAMPLES_DIR=/x", path])
      #expect(try await defined.hasEnded() == "exited with code 0")
      #expect(defined.lines == ["com.example.photos"])
    }
  }

  @Test("lint --registry of two property lists with one identifier says so, in any case")
  func oneIdentifierTwice() async throws {
    try await Testbed.run { world in
      var paths: [String] = []
      for identifier in ["com.example.a", "COM.example.A", "com.example.b"] {
        let path = world.folder + "/\(paths.count).plist"
        try
          "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>\(identifier)</string></dict></plist>"
          .write(toFile: path, atomically: true, encoding: .utf8)
        paths.append(path)
      }
      let lint = try world.startProcess("lsregister", ["lint", "--registry"] + paths)
      _ = try await lint.hasEnded()
      #expect(
        lint.lines.filter { $0.contains("same run") } == [
          "\(paths[1]): CFBundleIdentifier: warning: \(paths[0]), which is checked in the same run, has the"
            + " identifier COM.example.A, too; only one of the two is in use when both are registered (R1.10)"
        ])
    }
  }

  @Test("A property list that is refused leaves its reason in the log, with one severity")
  func refused() async throws {
    try await Testbed.run { world in
      let path = world.folder + "/odd.plist"
      try "<plist version=\"1.0\"><dict/></plist>".write(
        toFile: path, atomically: true, encoding: .utf8)
      let add = try world.startProcess("lsregister", ["add", path])
      #expect(try await add.hasEnded() == "exited with code 4")
      let line = try await world.daemon.line(containing: path)
      #expect(line.hasPrefix("launchservicesd: error: \(path): CFBundleIdentifier: "))
      #expect(line.components(separatedBy: "error").count == 2)
    }
  }

  @Test("add --stub registers a stand-in, which prints what it gets, and remove removes its files")
  func standIn() async throws {
    try await Testbed.run { world in
      let path = world.folder + "/elsewhere.plist"
      try """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.a</string>
      <key>CFBundleExecutable</key><string>A</string>
      <key>UIApplicationSceneManifest</key><dict/>
      <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
      <array><string>a</string></array></dict></array></dict></plist>
      """.write(toFile: path, atomically: true, encoding: .utf8)
      let add = try world.startProcess("lsregister", ["add", "--stub", path])
      #expect(try await add.hasEnded() == "exited with code 0")
      #expect(add.lines == ["com.example.a"])
      let cold = try await world.client.open("a:1")
      #expect(cold.outcome == .init(.cold, .delivered, handled: true))
      try await world.daemon.line(containing: "com.example.a willConnectTo a:1")
      _ = try await world.client.open("a:2")
      try await world.daemon.line(containing: "com.example.a openURLContexts a:2")

      let again = try world.startProcess(
        "lsregister", ["add", "--stub", "--behaviour", "veto", path])
      #expect(try await again.hasEnded() == "exited with code 0")
      let remove = try world.startProcess("lsregister", ["remove", "com.example.a"])
      #expect(try await remove.hasEnded() == "exited with code 0")
      let state = try #require(world.environment["XDG_STATE_HOME"])
      #expect(
        try FileManager.default.contentsOfDirectory(
          atPath: state + "/launch-services/stand-ins") == [])
    }
  }

  @Test("a stand-in that cannot be written is an error with the path and the reason")
  func unwritableStandIn() async throws {
    try await Testbed.run { world in
      let path = world.folder + "/elsewhere.plist"
      try
        "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>com.example.a</string></dict></plist>"
        .write(toFile: path, atomically: true, encoding: .utf8)
      let state = try #require(world.environment["XDG_STATE_HOME"])
      // A file system in which nothing can be made, also by root.
      try FileManager.default.createDirectory(
        atPath: state + "/launch-services", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: state + "/launch-services/stand-ins", withDestinationPath: "/proc/sys")
      let add = try world.startProcess("lsregister", ["add", "--stub", path])
      #expect(try await add.hasEnded() == "exited with code 4")
      #expect(
        add.lines == [
          "lsregister: the stand-in for \(path) cannot be made: \(state)/launch-services/stand-ins/com.example.a"
            + " cannot be read or written: No such file or directory (error 2)"
        ])
    }
  }

  nonisolated static let behaviours = [
    ("veto", "vetoed"), ("refuse", "not handled"), ("hang", "HandlerTimedOut"),
    ("crash", "HandlerExited"), ("hang-at-launch", "LaunchTimedOut"),
    ("crash-at-launch", "HandlerExited"),
  ]

  @Test("a stand-in does what --behaviour says", arguments: behaviours)
  func behaviour(word: String, result: String) async throws {
    try await Testbed.run(["--delivery-timeout", "1", "--launch-timeout", "5"]) { world in
      let path = world.folder + "/elsewhere.plist"
      try """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.b</string>
      <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
      <array><string>b</string></array></dict></array></dict></plist>
      """.write(toFile: path, atomically: true, encoding: .utf8)
      let add = try world.startProcess("lsregister", ["add", "--stub", "--behaviour", word, path])
      #expect(try await add.hasEnded() == "exited with code 0")
      let got: String
      do throws(Refusal) {
        let outcome = try await world.client.open("b:1").outcome
        got =
          outcome.delivery == .delivered && !outcome.handled
          ? "not handled" : outcome.delivery.rawValue
      } catch {
        got = error.name.replacing("org.launchservices.Error.", with: "")
      }
      #expect(got == result)
    }
  }

  @Test("add takes build variables from a project file, as lint does, and names the open ones")
  func buildVariables() async throws {
    try await Testbed.run { world in
      let path = world.folder + "/elsewhere.plist"
      try """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
      <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
      <array><string>$(APP_SCHEME)</string></array></dict></array></dict></plist>
      """.write(toFile: path, atomically: true, encoding: .utf8)
      let settings = world.folder + "/App.xcconfig"
      try "PRODUCT_BUNDLE_IDENTIFIER = com.example.c // the application\n".write(
        toFile: settings, atomically: true, encoding: .utf8)
      for verb in [["lint", "--registry"], ["add", "--stub"]] {
        let open = try world.startProcess("lsregister", verb + ["--xcconfig", settings, path])
        _ = try await open.hasEnded()
        try await open.line(containing: "--define APP_SCHEME=")
        let set = try world.startProcess(
          "lsregister", verb + ["--xcconfig", settings, "--define", "APP_SCHEME=c", path])
        #expect(try await set.hasEnded() == "exited with code 0", "\(set.lines)")
      }
      #expect(try await world.client.open("c:1").outcome == .init(.cold, .delivered, handled: true))
    }
  }

  @Test("lint --registry knows the types of Apple that this project declares, and names others")
  func types() async throws {
    try await Testbed.run { world in
      try await world.installCoreTypes()
      let path = world.folder + "/elsewhere.plist"
      try """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.d</string>
      <key>CFBundleDocumentTypes</key><array><dict><key>LSItemContentTypes</key><array>
      <string>public.jpeg</string><string>com.adobe.pdf</string><string>com.example.unknown</string>
      </array></dict></array></dict></plist>
      """.write(toFile: path, atomically: true, encoding: .utf8)
      let lint = try world.startProcess("lsregister", ["lint", "--registry", path])
      _ = try await lint.hasEnded()
      try await lint.line(containing: "com.example.unknown")
      #expect(!lint.lines.contains { $0.contains("public.jpeg") || $0.contains("com.adobe.pdf") })
    }
  }
}
