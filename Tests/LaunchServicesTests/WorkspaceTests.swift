import DBus
import FoundationEssentials
import Glibc
import LaunchServicesTesting
import Testing

@testable import LaunchServices

@MainActor @Suite("Workspace", .timeLimit(.minutes(30)))
struct WorkspaceTests {
  private let photosURL = URL(string: "photos:1")!

  private func workspace(in world: Testbed) -> Workspace {
    Workspace(DaemonConnection(address: world.environment["DBUS_SESSION_BUS_ADDRESS"]))
  }

  private func bundle(_ handler: ScriptedHandler) -> URL { URL(filePath: handler.path) }

  @Test("R6.1, R6.6 finds applications by URL and identifier, best first") func lookup()
    async throws
  {
    try await Testbed.run { world in
      let workspace = workspace(in: world)
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let notes = try await world.install("com.example.notes", schemes: ["photos"])
      #expect(workspace.urlForApplication(toOpen: photosURL)?.path == notes.path)
      #expect(
        workspace.urlsForApplications(toOpen: photosURL).map(\.path) == [notes.path, photos.path])
      #expect(workspace.urlForApplication(toOpen: URL(string: "nobody:1")!) == nil)
      #expect(workspace.urlForApplication(toOpen: URL(filePath: "/no/such/file")) == nil)
      #expect(
        workspace.urlForApplication(withBundleIdentifier: "com.example.PHOTOS")?.path
          == photos.path)
      #expect(workspace.urlsForApplications(withBundleIdentifier: "com.example.none") == [])
      #expect(workspace.urlForApplication(withBundleIdentifier: "no identifier!") == nil)
    }
  }

  @Test("R6.5 sets the user's choice for a scheme") func setDefault() async throws {
    try await Testbed.run { world in
      let workspace = workspace(in: world)
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.notes", schemes: ["photos"])
      try await workspace.setDefaultApplication(
        at: bundle(photos), toOpenURLsWithScheme: "photos")
      #expect(workspace.urlForApplication(toOpen: photosURL)?.path == photos.path)
      await #expect(throws: OpenError.self) {
        try await workspace.setDefaultApplication(
          at: URL(filePath: "/no/such.app"), toOpenURLsWithScheme: "photos")
      }
      await #expect(throws: OpenError.self) {
        try await workspace.setDefaultApplication(
          at: bundle(photos), toOpenURLsWithScheme: "no scheme")
      }
    }
  }

  @Test("R6.7 opens an application, then URLs with it, and tells which process")
  func opens() async throws {
    try await Testbed.run { world in
      let workspace = workspace(in: world)
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"],
        .launching(.report, .checkIn(), .finishLaunching())
      ) { $0.sdk = "macosx26.0" }
      var configuration = Workspace.OpenConfiguration()
      configuration.arguments = ["x"]
      configuration.hides = true
      let running = try await workspace.openApplication(
        at: bundle(photos), configuration: configuration)
      #expect(running.bundleIdentifier == "com.example.photos")
      #expect(running.processIdentifier == photos.pids.last)
      #expect(running.bundleURL?.path == photos.path)
      #expect(running.isFinishedLaunching && !running.isActive)
      #expect(
        workspace.runningApplications.map(\.processIdentifier) == [running.processIdentifier])
      let heard = photos.heard()
      #expect(heard.contains(.checkedIn(.launchOptions(hints: LaunchHints(hidden: true)))))
      #expect(
        heard.contains {
          if case .facts(let facts) = $0 { facts.arguments.last == "x" } else { false }
        })

      #expect(await workspace.open(photosURL))
      let other = URL(string: "other:1")!
      let same = try await workspace.open(
        [photosURL, other], withApplicationAt: bundle(photos),
        configuration: Workspace.OpenConfiguration())
      #expect(same.processIdentifier == running.processIdentifier && same.isActive)
      #expect(
        photos.heard() == [.opened("photos:1"), .opened("photos:1"), .opened("other:1")])

      configuration.createsNewApplicationInstance = true
      let second = try await workspace.open(
        [photosURL, photosURL], withApplicationAt: bundle(photos), configuration: configuration)
      #expect(second.processIdentifier == photos.pids.last)
      #expect(photos.pids.count == 2)
    }
  }

  @Test("what cannot be is refused: another copy, printing, nobody there")
  func refuses() async throws {
    try await Testbed.run { world in
      let workspace = workspace(in: world)
      let old = try await world.install("com.example.photos") { $0.bundleName = "Old" }
      try await world.install("com.example.photos") {
        $0.bundleName = "New"
        $0.place = .registered
      }
      var configuration = Workspace.OpenConfiguration()
      configuration.allowsRunningApplicationSubstitution = false
      await #expect(throws: OpenError.self) {
        try await workspace.openApplication(at: bundle(old), configuration: configuration)
      }
      configuration.isForPrinting = true
      await #expect(throws: OpenError.invalidOption("isForPrinting is not supported")) {
        try await workspace.open(photosURL, configuration: configuration)
      }
      await #expect(throws: OpenError.self) {
        try await workspace.open(photosURL, configuration: Workspace.OpenConfiguration())
      }
      #expect(workspace.runningApplications == [])
    }
  }

  @Test("R6.10 brings a process to the front, asks it to end, and ends it")
  func processes() async throws {
    try await Testbed.run { world in
      let workspace = workspace(in: world)
      let photos = try await world.install(
        "com.example.photos",
        .launching(.ignoreTermination, .checkIn(), .finishLaunching())
      ) { $0.sdk = "macosx26.0" }
      let notes = try await world.install("com.example.notes") { $0.sdk = "macosx26.0" }
      func start(_ handler: ScriptedHandler) async throws -> Workspace.RunningApplication {
        try await workspace.openApplication(at: bundle(handler), configuration: .init())
      }
      let (stubborn, polite) = (try await start(photos), try await start(notes))
      _ = photos.heard()
      #expect(workspace.activate(stubborn))
      try await photos.next(.reopened())
      let ends = [stubborn, polite].map { world.client.end(of: $0.processIdentifier) }
      #expect(workspace.signal(stubborn, SIGTERM) && workspace.signal(polite, SIGTERM))
      #expect(try await ends[1].how() == "was ended by SIGTERM (signal 15)")
      #expect(!workspace.runs(polite) && workspace.runs(stubborn))
      #expect(workspace.signal(stubborn, SIGKILL))
      #expect(try await ends[0].how() == "was ended by SIGKILL (signal 9)")
      #expect(!workspace.runs(stubborn))
      #expect(!workspace.activate(polite) && !workspace.signal(polite, SIGKILL))
      // Another application's process of that number is left alone.
      let again = try await start(notes)
      let other = Workspace.RunningApplication([
        "bundle-identifier": .string("com.example.photos"),
        "pid": .uint32(UInt32(again.processIdentifier)),
      ])
      #expect(!workspace.signal(try #require(other), SIGKILL))
      #expect(workspace.runs(again))
    }
  }

  @Test("R6.11 tells what comes and goes, also after a restart, but not of agents")
  func notifications() async throws {
    try await Testbed.run { world in
      let workspace = workspace(in: world)
      for (name, key) in [
        ("photos", nil), ("agent", "LSUIElement"), ("hidden", "LSBackgroundOnly"),
      ] {
        try await world.install(
          "com.example.\(name)", schemes: [name], .delegate(deliveries: [.answer(true), .exit(0)])
        ) {
          if let key { $0.otherKeys[key] = .string("1") }
        }
      }
      var notifications = try await workspace.notifications().makeAsyncIterator()
      for round in 1...2 {
        for name in ["agent", "hidden", "photos"] {
          let receipt = try await world.client.open("\(name):\(round)")
          if name == "agent" {
            #expect(
              workspace.runningApplications.allSatisfy { $0.activationPolicy == .accessory })
          }
          guard name == "photos" else { continue }
          var seen: [String] = []
          for _ in 1...3 {
            switch await notifications.next() {
            case .willLaunchApplication(let it): seen.append("will \(it.bundleIdentifier)")
            case .didLaunchApplication(let it):
              seen.append("did \(it.bundleIdentifier) \(it.processIdentifier)")
            case .didTerminateApplication(let it):
              seen.append("ended \(it.bundleIdentifier) \(it.processIdentifier)")
            case nil: seen.append("nothing")
            }
          }
          let pid = receipt.pid
          #expect(
            seen == [
              "will com.example.photos", "did com.example.photos \(pid)",
              "ended com.example.photos \(pid)",
            ])
        }
        if round == 1 {
          try await world.restartDaemon()
          // The answer comes after the daemon was asked to tell again.
          _ = workspace.runningApplications
        }
      }
    }
  }
}
