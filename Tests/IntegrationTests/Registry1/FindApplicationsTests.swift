import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor @Suite("Finding applications, and taking registrations back", .timeLimit(.minutes(30)))
struct FindApplicationsTests {
  private func found(_ query: ApplicationQuery, in world: Testbed) async throws -> [String] {
    let answer = try await world.client.call(Contract.findApplications(query))
    return (answer.first?.asOptionsList ?? []).compactMap { $0["bundle"]?.asString }
  }

  @Test("by URL, identifier, name and path; all copies of an identifier")
  func find() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"]) {
        $0.bundleName = "Photos"
      }
      let copy = try await world.install("com.example.photos", schemes: ["photos"]) {
        $0.place = .registered
        $0.bundleName = "Photos 2"
      }
      let notes = try await world.install("com.example.notes", schemes: ["photos", "notes"])
      #expect(try await found(.url("notes:1"), in: world) == [notes.path])
      #expect(try await found(.url("photos:1"), in: world) == [notes.path, copy.path])
      #expect(try await found(.url("x:1"), in: world) == [])
      #expect(
        try await found(.identifier("COM.example.photos"), in: world) == [copy.path, photos.path])
      #expect(try await found(.name("photos 2"), in: world) == [copy.path])
      #expect(try await found(.name("Photos"), in: world) == [])
      #expect(try await found(.path(photos.path), in: world) == [photos.path])
      await #expect(
        throws: Refusal(
          "org.freedesktop.DBus.Error.InvalidArgs",
          "give one of the options 'url', 'bundle-identifier', 'name', 'path' and 'after', not 0")
      ) {
        try await world.client.call(
          .call(
            to: Contract.busName, path: Contract.objectPath, interface: Contract.registry,
            member: "FindApplications", [.options([:])]))
      }
    }
  }

  @Test("R7.9, R7.10 the spellings of macOS register, unregister, forget and rebuild")
  func macOS() async throws {
    try await Testbed.run { world in
      let folder = world.folder + "/Some"
      for path in ["A.app", "sub/B.app", "sub/.hidden/C.app", "A.app/Contents/D.app"] {
        let bundle = "\(folder)/\(path)"
        try FileManager.default.createDirectory(
          atPath: bundle, withIntermediateDirectories: true)
        let name = URL(filePath: path).deletingPathExtension().lastPathComponent.lowercased()
        try
          "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>x.\(name)</string></dict></plist>"
          .write(toFile: bundle + "/Info.plist", atomically: true, encoding: .utf8)
      }
      @MainActor func run(_ arguments: String...) async throws -> (String, [String]) {
        let process = try world.startProcess("lsregister", arguments)
        return (try await process.hasEnded(), process.lines)
      }
      let fine = "exited with code 0"
      #expect(try await run("-f", folder) == (fine, []))
      #expect(try await world.client.applications() == ["x.a"])
      #expect(
        try await run("-f", "-r", "-v", folder)
          == (fine, ["registered: x.a  \(folder)/A.app", "registered: x.b  \(folder)/sub/B.app"]))
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/sub/cycle", withDestinationPath: folder)
      #expect(try await run("-R", "-f", folder) == (fine, []))
      #expect(try await world.client.applications() == ["x.a", "x.b", "x.c", "x.d"])
      #expect(try await run("-u", "\(folder)/A.app") == (fine, []))
      #expect(
        try await run("-u", "\(folder)/A.app")
          == (
            "exited with code 1",
            ["failed to scan \(folder)/A.app: -10814", " from spotlight"]
          ))
      #expect(try await world.client.applications() == ["x.b", "x.c", "x.d"])
      try FileManager.default.removeItem(atPath: folder + "/sub/B.app")
      #expect(
        try await run("-gc", "-v") == (fine, ["forgotten: \(folder)/sub/B.app/Info.plist"]))
      #expect(try await run("-gc", "-v") == (fine, []))
      try FileManager.default.removeItem(atPath: folder + "/sub")
      #expect(try await run("-u", folder + "/sub/.hidden/C.app") == (fine, []))
      #expect(try await run("-gc", "-v") == (fine, []))
      let photos = try await world.install("com.example.photos")
      #expect(photos.heard() == [])
      #expect(
        try await run("-kill", "-r", "-domain", "local", "-domain", "system", "-domain", "user")
          == (fine, []))
      #expect(try await world.client.applications() == ["com.example.photos"])
      try await world.restartDaemon()
      #expect(try await world.client.applications() == ["com.example.photos"])
      let dump = try await run("-dump")
      #expect(dump.0 == fine && dump.1.contains("bundle-identifier:  com.example.photos"))
    }
  }

  @Test(
    "Graphviz draws the graph, whatever the applications are called",
    .enabled(
      if: IntrospectionTests.isInstalled("dot"), "dot is missing: install the package graphviz"))
  func graphviz() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos", "a+b-c.d"]) {
        $0.otherKeys = ["CFBundleName": .string(#"a"]; \N <b> & \n "# + "\n{}|")]
      }
      try await world.install("com.example.notes", schemes: ["photos"])
      let graph = try world.startProcess("lsregister", ["dump", "--dot"])
      #expect(try await graph.hasEnded() == "exited with code 0")
      let file = world.folder + "/graph.dot"
      try graph.lines.joined(separator: "\n").write(
        toFile: file, atomically: true, encoding: .utf8)
      let dot = try world.startProcess("dot", ["-Tsvg", "-o", file + ".svg", file])
      #expect(try await dot.hasEnded() == "exited with code 0")
      #expect(dot.lines == [])
      let drawing = try String(contentsOfFile: file + ".svg", encoding: .utf8)
      #expect(drawing.contains(#"a&quot;]; \N &lt;b&gt; &amp; \n "#))
      #expect(drawing.contains("com.example.notes") && drawing.contains("a+b&#45;c.d:"))
    }
  }

  @Test("of a URL from the best, when the one they are to follow is none of them any more")
  func afterOneThatIsGone() async throws {
    try await Testbed.run { world in
      for name in ["notes", "photos"] {
        try await world.install("com.example.\(name)", schemes: ["photos"])
      }
      func found(after: String) async throws -> [String] {
        try await world.client.call(
          Contract.findApplications(.url("photos:x", after: after))
        ).first?.asOptionsList?.compactMap { $0["bundle-identifier"]?.asString } ?? []
      }
      let all = try await found(after: "")
      #expect(Set(all) == ["com.example.notes", "com.example.photos"])
      #expect(try await found(after: all[0]) == [all[1]])
      #expect(try await found(after: all[1]) == [])
      #expect(try await found(after: "com.example.gone") == all)
    }
  }

  /// With very long names. Away from the main actor, where other tests wait.
  @concurrent private nonisolated static func writeLists(
    of identifiers: [String], to folder: String
  ) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let name = String(repeating: "n", count: 150_000)
    for identifier in identifiers {
      let list = ["CFBundleIdentifier": identifier, "CFBundleName": name]
      try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        .write(to: URL(filePath: "\(folder)/\(identifier).plist"))
    }
  }

  @Test("all in pieces, where they are too many for one answer") func pieces() async throws {
    try await Testbed.run { world in
      let identifiers = (100..<400).map { "com.example.a\($0)" }
      try await Self.writeLists(of: identifiers, to: world.applicationsFolder)
      try await world.client.reload()
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.call(Contract.listApplications())
      }
      #expect(refusal?.name == "org.launchservices.Error.LimitExceeded")
      var found: [String] = []
      while true {
        let query = ApplicationQuery.after(found.last ?? "")
        let page = try await world.client.call(Contract.findApplications(query)).first?
          .asOptionsList
        guard let page, !page.isEmpty else { break }
        found += page.compactMap { $0["bundle-identifier"]?.asString }
      }
      #expect(found == identifiers)
      let show = try world.startProcess("lsregister", ["show", "COM.example.A399"])
      #expect(try await show.hasEnded() == "exited with code 0")
    }
  }
}
