import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// What changes on disk takes effect by itself.
@Suite("Changes in an application folder", .timeLimit(.minutes(30)))
struct FolderChangeTests {
  static func application(_ scheme: String) -> TestApplication {
    var application = TestApplication("com.example.photos")
    application.schemes = [scheme]
    return application
  }

  @Test("An application that is added can be opened")
  func added() async throws {
    try await Testbed.run { world in
      try world.put(Self.application("photos"))
      try await world.client.registryChange()
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    }
  }

  @Test("An application that is replaced handles its new schemes only")
  func replaced() async throws {
    try await Testbed.run { world in
      try await world.install(Self.application("old"))
      try await world.client.registryChange()
      try world.put(Self.application("new"))
      while try await world.client.handlers("new").isEmpty {
        try await world.client.registryChange()
      }
      #expect(try await world.client.handlers("old") == [])
      #expect(try await world.client.open("new:1").outcome == .deliveredCold)
    }
  }

  @Test("An application that is removed is not found any more")
  func removed() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.application("photos"))
      try await world.client.registryChange()
      try FileManager.default.removeItem(atPath: photos.path)
      try await world.client.registryChange()
      await #expect(
        throws: Refusal(
          "ApplicationNotFound",
          "no application is registered for the scheme photos (OSStatus error -10814)")
      ) { try await world.client.open("photos:1") }
    }
  }

  @Test("A property list that is a link counts as it changes where the link leads")
  func link() async throws {
    try await Testbed.run { world in
      let source = world.folder + "/source"
      try FileManager.default.createDirectory(
        atPath: source, withIntermediateDirectories: true)
      let file = URL(filePath: source + "/photos.plist")
      func declare(_ scheme: String) throws {
        let list: [String: Any] = [
          "CFBundleIdentifier": "com.example.photos",
          "CFBundleURLTypes": [["CFBundleURLSchemes": [scheme]]],
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
          .write(to: file)
      }
      try declare("old")
      try FileManager.default.createSymbolicLink(
        atPath: world.applicationsFolder + "/photos.plist", withDestinationPath: file.path)
      try await world.client.registryChange()
      #expect(try await world.client.handlers("old") == ["com.example.photos"])
      try declare("new")
      try await world.client.registryChange()
      #expect(try await world.client.handlers("new") == ["com.example.photos"])

      // The next daemon finds it by listing the folder.
      try await world.restartDaemon()
      try declare("newer")
      while try await world.client.handlers("newer").isEmpty {
        try await world.client.registryChange()
      }
      try FileManager.default.removeItem(at: file)
      while try await world.client.applications() != [] {
        try await world.client.registryChange()
      }
    }
  }

  @Test("An application whose name is not UTF-8 is named, and the others count")
  func unusableName() async throws {
    try await Testbed.run { world in
      let name =
        world.applicationsFolder.utf8.map { CChar(bitPattern: $0) }
        + "/odd".utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xff)]
        + ".plist".utf8.map { CChar(bitPattern: $0) } + [0]
      try FileManager.default.createDirectory(
        atPath: world.applicationsFolder, withIntermediateDirectories: true)
      let file = unsafe creat(name, 0o600)
      #expect(file >= 0)
      close(file)
      try await world.client.reload()
      let line = try await world.daemon.line(containing: "UTF-8")
      #expect(line.contains("ignored an application whose name is not UTF-8: rename it"))
    }
  }

  @Test("A folder that comes after the daemon is noticed")
  func newFolder() async throws {
    try await Testbed.run { world in
      var application = Self.application("photos")
      application.place = .systemFolder
      try world.put(application)
      try await world.client.registryChange()
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    }
  }

  @Test("A property list that is half written is not broken: its last good version holds")
  func halfWritten() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.application("old"))
      try await world.client.registryChange()
      let path = world.propertyList(of: photos)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let new = Data(text.replacing("<string>old</string>", with: "<string>new</string>").utf8)
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: new.prefix(200))

      // The folder is read again, also because of another application.
      var other = TestApplication("com.example.other")
      other.schemes = ["other"]
      try world.put(other)
      try await world.client.registryChange()
      try await world.client.reload()
      #expect(try await world.client.applications() == ["com.example.other", "com.example.photos"])
      #expect(try await world.client.handlers("old") == ["com.example.photos"])

      try file.write(contentsOf: new.dropFirst(200))
      try file.close()
      try await world.client.registryChange()
      #expect(try await world.client.handlers("new") == ["com.example.photos"])
      #expect(try await world.client.handlers("old") == [])
      #expect(world.daemon.lines.filter { $0.contains("error") } == [])
    }
  }

  @Test("A registration is remembered by the next daemon, a removal too")
  func registrations() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"]) {
        $0.place = .registered
      }
      try await world.restartDaemon()
      #expect(try await world.client.applications() == ["com.example.photos"])
      try await world.client.unregister(photos.identifier)
      try await world.restartDaemon()
      #expect(try await world.client.applications() == [])
    }
  }

  @Test("The user's choice is remembered by the next daemon")
  func choice() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.a", schemes: ["x"])
      try await world.install("com.example.b", schemes: ["x"])
      for choice in ["com.example.a", "com.example.b"] {
        try await world.client.setDefaultHandler("x", choice)
        try await world.restartDaemon()
        #expect(try await world.client.defaultHandler("x") == choice)
      }
    }
  }
}
