import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Very many property lists change at once, while questions are asked and the registry is changed.
@MainActor @Suite("Very many changes at once", .timeLimit(.minutes(30)))
struct BulkReloadTests {
  nonisolated static let count = 600

  /// Property lists with a scheme of each, and with one that all of them claim.
  @concurrent nonisolated static func fill(_ folder: String, _ scheme: String) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for index in 0..<count {
      let list = """
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.many\(index)</string>
        <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
        <array><string>\(scheme)</string><string>\(scheme)\(index)</string></array>
        </dict></array></dict></plist>
        """
      try Data(list.utf8).write(to: URL(filePath: "\(folder)/many\(index).plist"))
    }
  }

  @Test("are seen as a whole, and what else changes meanwhile counts")
  func whole() async throws {
    try await Testbed.run { world in
      let client = world.client
      try await Self.fill(world.applicationsFolder, "old")
      try await client.reload()
      let asker = try await world.install("com.example.asker", queries: ["new0", "new599"]) {
        $0.place = .registered
      }
      #expect(try await client.handlers("old").count == Self.count)
      let next = world.folder + "/next"
      try await Self.fill(next, "new")
      let other = try await world.newClient()
      // So that it sees both of these together.
      world.daemon.signal(SIGSTOP)
      let files = FileManager.default
      try files.moveItem(atPath: world.applicationsFolder, toPath: world.folder + "/before")
      try files.moveItem(atPath: next, toPath: world.applicationsFolder)
      world.daemon.signal(SIGCONT)
      let changes = Task {
        for index in 0..<20 {
          try await world.install("com.example.late\(index)", schemes: ["late"]) {
            $0.place = .registered
          }
          try await other.setDefaultHandler("late", "com.example.late\(index)")
          if index > 0 { try await other.unregister("com.example.late\(index - 1)") }
        }
      }
      var isNew = false
      repeat {
        let old = try await client.handlers("old").count
        let new = try await client.handlers("new").count
        #expect([0, Self.count].contains(old) && [0, Self.count].contains(new))
        let answers = [
          old == 0, new > 0, try await client.canOpen("new0:x", as: asker.identifier),
          try await client.canOpen("new599:x", as: asker.identifier),
        ]
        // One after the other: once something was new, everything is.
        #expect(answers == answers.filter { !$0 } + answers.filter(\.self))
        #expect(!isNew || answers.allSatisfy(\.self))
        isNew = answers[0]
      } while !isNew
      try await changes.value
      #expect(try await client.handlers("late") == ["com.example.late19"])
      #expect(try await client.applications().count == Self.count + 2)
    }
  }
}

/// Very many applications claim one scheme.
@MainActor @Suite("A scheme of very many applications", .timeLimit(.minutes(30)))
struct CrowdedSchemeTests {
  @Test("is answered for whole, piece by piece") func pieces() async throws {
    try await Testbed.run { world in
      try await BulkReloadTests.fill(world.applicationsFolder, "crowd")
      try await world.client.reload()
      let handlers = try await world.client.handlers("crowd")
      #expect(handlers.count == BulkReloadTests.count)
      var found: [String] = []
      while true {
        let query = ApplicationQuery.url("crowd:1", after: found.last ?? "")
        let answer = try await world.client.call(Contract.findApplications(query))
        let page = (answer.first?.asOptionsList ?? []).compactMap {
          $0["bundle-identifier"]?.asString
        }
        #expect(page.count <= 100)
        if page.isEmpty { break }
        found += page
      }
      #expect(found == handlers)
      let named = try await world.client.call(Contract.findApplications(.name("many7.plist")))
      #expect(named.first?.asOptionsList?.count == 1)
    }
  }
}
