import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// What a daemon has read the next one need not read again, and nobody notices.
@MainActor @Suite("A daemon that finds what the last one read", .timeLimit(.minutes(30)))
struct WarmStartTests {
  private static let photos = "com.example.photos"

  private static func cache(_ world: Testbed) -> String {
    world.folder + "/cache/launch-services/applications"
  }

  /// An application with something odd in its property list.
  private static func odd(_ name: String, _ scheme: String) -> TestApplication {
    var application = TestApplication("com.example." + name)
    application.schemes = [scheme, "not a scheme"]
    return application
  }

  private static func facts(_ world: Testbed, _ name: String) async throws -> Options? {
    try await world.client.entry(of: "com.example." + name)
  }

  @Test("says and logs the same as one that read everything") func same() async throws {
    try await Testbed.run { world in
      try await world.install(Self.odd("odd", "odd"))
      let list = world.propertyList(of: try await world.install(Self.odd("photos", "photos")))
      let cold = try #require(try await Self.facts(world, "photos"))
      #expect(cold["diagnostics"]?.asStrings?.count == 1)
      try await world.daemon.line(containing: "\(list): CFBundleURLTypes[0]")
      #expect(!FileManager.default.fileExists(atPath: Self.cache(world)))
      for _ in 0..<2 {
        try await world.restartDaemon()
        #expect(FileManager.default.fileExists(atPath: Self.cache(world)))
        #expect(try await Self.facts(world, "photos") == cold)
        try await world.daemon.line(containing: "\(list): CFBundleURLTypes[0]")
      }
    }
  }

  @Test("sees what has changed meanwhile") func changed() async throws {
    try await Testbed.run { world in
      for name in ["stays", "changes", "goes"] { try await world.install(Self.odd(name, name)) }
      let registered = try await world.install("com.example.registered", schemes: ["registered"]) {
        $0.place = .registered
      }
      try await world.restartDaemon()
      try await world.stopDaemon()
      try world.put(Self.odd("changes", "changed"))
      try world.put(Self.odd("comes", "comes"))
      try FileManager.default.removeItem(atPath: world.applicationsFolder + "/com.example.goes.app")
      try await world.startDaemon()
      let schemes = ["stays", "changes", "changed", "comes", "goes", "registered"]
      var handled: [String] = []
      for scheme in schemes where !(try await world.client.handlers(scheme).isEmpty) {
        handled.append(scheme)
      }
      #expect(handled == ["stays", "changed", "comes", "registered"])
      try await world.client.unregister(registered.identifier)
      try await world.restartDaemon()
      #expect(try await world.client.handlers("registered") == [])
    }
  }

  @Test("reads everything when the file is damaged, and when there can be none")
  func damaged() async throws {
    try await Testbed.run { world in
      try await world.install(Self.odd("photos", "photos"))
      let cold = try await Self.facts(world, "photos")
      try await world.stopDaemon()
      let path = Self.cache(world)
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(filePath: path))
      try await world.startDaemon()
      #expect(try await Self.facts(world, "photos") == cold)
      try await world.stopDaemon()
      let folder = world.folder + "/cache/launch-services"
      try FileManager.default.removeItem(atPath: folder)
      try Data().write(to: URL(filePath: folder))
      try await world.startDaemon()
      #expect(try await Self.facts(world, "photos") == cold)
    }
  }

  @Test("removes what one that was killed had not finished") func unfinished() async throws {
    try await Testbed.run { world in
      try await world.install(Self.odd("photos", "photos"))
      try await world.stopDaemon()
      let folder = world.folder + "/cache/launch-services"
      let files = FileManager.default
      for name in [".new-0123456789abcdef", ".new-fedcba9876543210"] {
        #expect(files.createFile(atPath: "\(folder)/\(name)", contents: Data([1])))
      }
      try files.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)],
        ofItemAtPath: folder + "/.new-0123456789abcdef")
      try await world.startDaemon()
      // The other one may be somebody's who is still writing it.
      #expect(
        try files.contentsOfDirectory(atPath: folder).sorted()
          == [".new-fedcba9876543210", "applications", "desktop-applications.plist"])
    }
  }

  @Test("answers from what it knows while very many property lists are read")
  func meanwhile() async throws {
    try await Testbed.run { world in
      try await world.install(Self.photos, schemes: ["photos"])
      for index in 0..<1000 {
        let list = """
          <plist version="1.0"><dict>
          <key>CFBundleIdentifier</key><string>com.example.many\(index)</string>
          <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
          <array><string>many\(index)</string></array></dict></array></dict></plist>
          """
        try Data(list.utf8).write(
          to: URL(filePath: world.applicationsFolder + "/many\(index).plist"))
      }
      let other = try await world.newClient()
      var isDone = false
      let reload = Task {
        defer { isDone = true }
        try await other.reload()
      }
      var answers = 0
      while !isDone {
        #expect(try await world.client.handlers("photos") == [Self.photos])
        answers += 1
      }
      try await reload.value
      #expect(answers > 1)
      #expect(try await world.client.handlers("many999") == ["com.example.many999"])
    }
  }
}
