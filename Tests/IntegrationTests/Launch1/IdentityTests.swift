import Foundation
import LaunchServicesTesting
import Testing

/// Who a caller is, is seen from outside.
@Suite("Identity of callers", .timeLimit(.minutes(30)))
struct IdentityTests {
  static let identifier = "com.example.caller"

  @Test(
    "A running application is asked as what it is, however it asks",
    arguments: [
      (Asker.itself, "it checked in on this connection"),
      (
        .otherConnection,
        "it is, or descends from, a process the daemon started for the application"
      ),
      (.direct, "it is, or descends from, a process the daemon started for the application"),
      (.child, "it is, or descends from, a process the daemon started for the application"),
      (.orphan, "it is, or descends from, a process the daemon started for the application"),
    ])
  func identified(_ asker: Asker, _ how: String) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.handler", schemes: ["listed", "unlisted"])
      let caller = try await world.install(Self.identifier, schemes: ["me"], queries: ["listed"])
      _ = try await world.client.open("me:")

      #expect(try await caller.canOpen("listed:", by: asker))
      #expect(try await caller.canOpen("unlisted:", by: asker) == false)
      let explanation = try await caller.explain("listed:", by: asker)
      #expect(explanation.caller == Self.identifier)
      #expect(explanation.sentence(of: "caller") == "\(Self.identifier): \(how)")
    }
  }

  @Test("A process that was started by hand is known by its executable")
  func executable() async throws {
    try await Testbed.run { world in
      let caller = try await world.install(Self.identifier, .launching())
      try world.start(caller)
      try await caller.next(.started)
      let explanation = try await caller.explain("x:", by: .otherConnection)
      #expect(
        explanation.sentence(of: "caller")
          == "\(Self.identifier): its executable belongs to the application")
    }
  }

  @Test("A process that outlives all those it descends from is still the application")
  func survivor()
    async throws
  {
    try await Testbed.run { world in
      let caller = try await world.install(Self.identifier, schemes: ["me"])
      _ = try await world.client.open("me:")
      let explanation = try await caller.explain("me:", by: .survivor)
      #expect(
        explanation.sentence(of: "caller")
          == "\(Self.identifier): it is, or descends from, a process the daemon started for the"
          + " application")
    }
  }

  @Test(
    "An application may not ask as another",
    arguments: [Asker.itself, .child, .orphan, .survivor])
  func asAnother(_ asker: Asker) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.other", queries: ["foo"])
      let caller = try await world.install(Self.identifier, schemes: ["me"])
      _ = try await world.client.open("me:")
      await #expect(
        throws: Refusal(
          "NotPermitted",
          "option 'as' names com.example.other, but the caller is \(Self.identifier); only callers"
            + " without an identity of their own may use it, so leave it out (OSStatus error -54)")
      ) { try await caller.canOpen("foo:", as: "com.example.other", by: asker) }
    }
  }

  @Test("What has left the session and all those above it behind is the only application there was")
  func onlyOne() async throws {
    try await Testbed.run(["--launcher", "spawn"]) { world in
      let caller = try await world.install(Self.identifier, schemes: ["me"], queries: ["me"])
      _ = try await world.client.open("me:")
      let explanation = try await caller.explain("me:", by: .detached)
      #expect(
        explanation.sentence(of: "caller")
          == "\(Self.identifier): it is, or descends from, a process the daemon started for the"
          + " application")
      #expect(explanation.canOpen)
    }
  }

  @Test("Where there were several, it may ask about nothing and not as another, nor answer")
  func oneOfSeveral() async throws {
    try await Testbed.run(["--launcher", "spawn"]) { world in
      try await world.install("com.example.other", schemes: ["other"], queries: ["me"])
      let caller = try await world.install(Self.identifier, schemes: ["me"], queries: ["me"])
      _ = try await world.client.open("other:")
      _ = try await world.client.open("me:")
      let explanation = try await caller.explain("me:", by: .detached)
      #expect(
        explanation.sentence(of: "caller")
          == "unknown: the caller descends from an application, but the processes between have ended"
      )
      #expect(try await caller.canOpen("me:", by: .detached) == false)
      await #expect(
        throws: Refusal(
          "NotPermitted",
          "option 'as' names com.example.other, but the caller descends from an application; only"
            + " callers without an identity of their own may use it, so leave it out"
            + " (OSStatus error -54)")
      ) { try await caller.canOpen("me:", as: "com.example.other", by: .detached) }
      for question in [Question.becomeAgent, .approve("com.example.other")] {
        let refusal = await #expect(throws: Refusal.self) {
          try await caller.require(question, by: .detached)
        }
        #expect(refusal?.text.contains("the caller descends from an application") == true)
      }
      // What has ended is reaped.
      try await waitUntil("the end of all dead children") {
        try Self.deadChildren(of: world.daemon.pid) == 0
      }
    }
  }

  /// Children that have ended and wait to be reaped.
  private static func deadChildren(of pid: Int32) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
      .compactMap { try? String(contentsOfFile: "/proc/\($0)/stat", encoding: .utf8) }
      .count { stat in
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 && fields[0] == "Z" && fields[1] == "\(pid)"
      }
  }

  @Test("A caller that is no application may ask about nothing, and is told what to do")
  func unidentified() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.handler", schemes: ["foo"])
      #expect(try await world.client.canOpen("foo:") == false)
      #expect(
        try await world.daemon.line(containing: "canOpenURL")
          == failedQuery(
            "foo:", "This app is not allowed to query for scheme foo",
            hint: "the caller is not a registered application; check in, be started by"
              + " launchservicesd, or name an application with option 'as'"))
    }
  }
}
