import BusContract
import DBus
import DaemonSettings
import Foundation
import Host
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Explanations", .timeLimit(.minutes(30)))
struct ExplainerTests {
  @Test("An explanation names the handler and what would be done, and starts nothing")
  func explains() async throws {
    let world = try await DaemonWorld()
    let told = try world.explain("photos:1")
    #expect(told["handler"] == .string("com.example.photos"))
    #expect(told["would-open"] == .boolean(true))
    #expect(world.steps(told).contains("launch: starts /usr/bin/true"))
    #expect(
      world.steps(told).contains(
        "open: delivers the URL to the application (application delegate), at launch"))
    #expect(world.backend.orders.isEmpty)
    #expect(await world.entries().isEmpty)
  }

  @Test("An explanation agrees with the open, also of what cannot be opened") func agrees()
    async throws
  {
    let world = try await DaemonWorld()
    for (url, name) in [("none:1", "ApplicationNotFound"), ("no URL", "InvalidURL")] {
      let told = try world.explain(url)
      #expect(told["would-open"] == .boolean(false))
      #expect(told["handler"] == .string(""))
      let row: InterfaceTests.Row = ("OpenURL", [.string(url), .options([:])], name)
      #expect(try await world.answer(row, .success(DaemonWorld.facts(7))) == name)
    }
  }

  @Test("An open on another machine lists no candidates of this one") func onMachine() async throws
  {
    let world = try await DaemonWorld()
    var options = QueryOptions()
    options.device = "devbox"
    let explainer = world.explainer()
    try world.registry.remotes.add(try #require(RemoteName("devbox")))
    let told = try explainer.explain("photos:1", options, DaemonWorld.caller())
    #expect(!world.steps(told).contains { $0.hasPrefix("candidate: ") }, "\(world.steps(told))")
    let here = try explainer.explain("photos:1", QueryOptions(), DaemonWorld.caller())
    #expect(world.steps(here).contains { $0.hasPrefix("candidate: ") })
  }

  @Test("An open of a file for a remote is explained as one of the remote") func fileOfRemote()
    async throws
  {
    let world = try await DaemonWorld()
    let laptop = try #require(RemoteName("laptop"))
    try world.registry.remotes.add(laptop)
    var options = QueryOptions()
    options.actAs = laptop.callerName
    let told = try await world.explainer().documentExplanation(
      "file:///etc/passwd", options, DaemonWorld.caller())()
    #expect(told["caller"] == .string("remote:laptop"))
    #expect(told["can-open"] == .boolean(false))
    #expect(
      world.steps(told).contains("canOpen: no: remote:laptop may not open file URLs"),
      "\(world.steps(told))")
    #expect(!world.steps(told).contains { $0.contains("option 'as'") })
  }

  @Test("An application is not told of handlers that it did not declare") func sandboxed()
    async throws
  {
    let world = try await DaemonWorld()
    let caller = IdentifiedCaller(
      .application(DaemonWorld.photos, .executable), on: SocketPair.name, DaemonWorld.facts(7))
    let told = try world.explain("photos:1", caller)
    #expect(told["can-open"] == .boolean(false))
    #expect(told["handler"] == .string(""))
    #expect(
      Set(world.steps(told).map { $0.prefix { $0 != ":" } })
        .isSubset(of: ["url", "format", "caller", "allowlist", "canOpen"]))
  }

  @Test(
    "A program that is missing, or may not be executed, would not be started",
    arguments: [
      ("/nonexistent/x", "is missing"), ("/etc/passwd", "Permission denied"),
    ])
  func noProgram(_ program: String, _ why: String) async throws {
    let world = try await DaemonWorld()
    let text = DaemonWorld.propertyList("broken").replacing("/usr/bin/true", with: program)
    let path = world.folder + "/broken.plist"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    _ = try await world.registry.store.register(path, [:])
    let told = try world.explain("broken:1")
    #expect(told["would-open"] == .boolean(false))
    #expect(told["handler"] == .string("com.example.broken"))
    #expect(
      world.steps(told).contains { $0.hasPrefix("launch: fails: ") && $0.contains(why) },
      "\(world.steps(told))")
  }

  @Test("D7: the user is not asked about an application that cannot be started")
  func notAsked() async throws {
    let world = try await DaemonWorld()
    let text = DaemonWorld.propertyList("broken").replacing("/usr/bin/true", with: "/nonexistent/x")
    let path = world.folder + "/broken.plist"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    _ = try await world.registry.store.register(path, [:])
    let told = try world.explainer().explain(
      "broken:1", QueryOptions(isLink: true), DaemonWorld.caller())
    #expect(told["would-open"] == .boolean(false))
    #expect(!world.steps(told).contains { $0.hasPrefix("confirmation: ") })
    #expect(
      world.steps(told).last?.hasPrefix(
        "open: fails: the program /nonexistent/x of com.example.broken is missing") == true,
      "\(world.steps(told))")
    let row: InterfaceTests.Row = (
      "OpenURL", [.string("broken:1"), .options(["from-link": .boolean(true)])], "NoExecutable"
    )
    #expect(try await world.answer(row, .success(DaemonWorld.facts(7))) == row.answer)
    // The user is asked about an application that can be started.
    let other: InterfaceTests.Row = (
      "OpenURL", [.string("photos:1"), .options(["from-link": .boolean(true)])], "pending"
    )
    #expect(try await world.answer(other, .success(DaemonWorld.facts(7))) == other.answer)
    let asked = try world.explainer().explain(
      "photos:1", QueryOptions(isLink: true), DaemonWorld.caller())
    #expect(world.steps(asked).contains { $0.contains("the user is asked (row custom-web") })
  }

  @Test("D7: the user is not asked about a second process that cannot be started")
  func secondProcess() async throws {
    let world = try await DaemonWorld(
      keys: "<key>LSMinimumSystemVersion</key><string>14.0</string>")
    try world.open("photos:1")
    let id = try await world.ordered()
    try await world.checkIn(id)
    world.finish(id)
    try DaemonWorld.propertyList("photos", "<key>LSMinimumSystemVersion</key><string>14.0</string>")
      .replacing("/usr/bin/true", with: "/nonexistent/x").write(
        toFile: world.folder + "/Applications/photos.plist", atomically: true, encoding: .utf8)
    _ = try await world.registry.store.register(world.folder + "/Applications/photos.plist", [:])
    let second: InterfaceTests.Row = (
      "OpenURL",
      [
        .string("photos:2"),
        .options(["from-link": .boolean(true), "new-instance": .boolean(true)]),
      ], "NoExecutable"
    )
    #expect(try await world.answer(second, .success(DaemonWorld.facts(7))) == second.answer)
    // The process that runs needs no program.
    let running: InterfaceTests.Row = (
      "OpenURL", [.string("photos:3"), .options(["from-link": .boolean(true)])], "pending"
    )
    #expect(try await world.answer(running, .success(DaemonWorld.facts(7))) == running.answer)
  }

  @Test(
    "H1: the explanation says that a handler with a scene manifest may take no scenes")
  func scenes() async throws {
    let world = try await DaemonWorld(keys: "<key>UIApplicationSceneManifest</key><dict/>")
    #expect(
      world.steps(try world.explain("photos:1")).contains(
        "open: delivers the URL to a scene of the application (scene delegate), unless it checks in"
          + " without scenes, at launch"))
  }

  @Test("What a process that launches, runs or is being ended means for the next URL")
  func states() async throws {
    let world = try await DaemonWorld()
    func open() throws -> [String] {
      world.steps(try world.explain("photos:2")).filter {
        $0.hasPrefix("open: ") || $0.hasPrefix("launch: ")
      }
    }
    let way = "open: delivers the URL to the application (application delegate), "
    try world.open("photos:1")
    let id = try await world.ordered()
    #expect(try open() == [way + "when its launch has finished"])
    try await world.checkIn(id)
    world.finish(id)
    #expect(try open() == [way + "while it runs"])
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    world.coordinator.handle(.retired(id), of: id)
    #expect(
      try open() == [
        "launch: starts /usr/bin/true",
        way + "at launch, after the previous process has ended",
      ])
  }

  @Test("A text that is no URL of a file is no URL for canOpen either") func noFileURL()
    async throws
  {
    let world = try await DaemonWorld()
    let told = try await world.explainer().documentExplanation(
      "file:///tmp/b c.txt", QueryOptions(), DaemonWorld.caller())()
    #expect(told["can-open"] == .boolean(false))
  }

  @Test("With own-application, an explanation is about the application that asks")
  func ownApplication() async throws {
    let world = try await DaemonWorld(
      keys: "<key>LSMinimumSystemVersion</key><string>14.0</string>")
    let unknown = DaemonWorld.caller()
    let photos = IdentifiedCaller(
      .application(DaemonWorld.photos, .executable), on: unknown.connection, unknown.facts)
    let options = QueryOptions(ownApplication: true)
    let told = try world.explainer().explain("other:1", options, photos)
    #expect(told["handler"] == .string("com.example.photos"))
    #expect(throws: BusError.self) {
      try world.explainer().explain("other:1", options, unknown)
    }
  }

  @Test("A document is explained by its type and the applications that claim it") func document()
    async throws
  {
    let world = try await DaemonWorld(keys: DocumentResolverTests.claim)
    let path = world.folder + "/a.txt"
    try "text".write(toFile: path, atomically: true, encoding: .utf8)
    let told = try await world.explainer().documentExplanation(
      "file://" + path, QueryOptions(), DaemonWorld.caller())()
    #expect(told["handler"] == .string("com.example.photos"))
    #expect(world.steps(told).contains { $0.hasPrefix("type: public.plain-text ") })
    #expect(world.steps(told).contains { $0.hasPrefix("candidate: com.example.photos: ") })
    let missing = try await world.explainer().documentExplanation(
      "file:///nowhere/a.txt", QueryOptions(), DaemonWorld.caller())()
    #expect(missing["would-open"] == .boolean(false))
    #expect(
      world.steps(missing).contains {
        $0.hasPrefix("open: fails: The file /nowhere/a.txt does not exist.")
      })
  }
}

extension DaemonWorld {
  func explainer() -> Explainer {
    let journal = Journal(program: "explainer-tests", environment: [:], descriptor: -1)
    let environment = HandlerEnvironment(inheriting: ["PATH": "/usr/bin:/bin"])
    let check = LaunchCheck(handlers.freedesktop, callers.services, environment, .spawn) {
      [unowned self] in coordinator.lifecycles
    }
    let launches = LaunchExplainer(
      handlers.supervisor, handlers.freedesktop, check, environment, requests.fates.receivers
    ) { [unowned self] in coordinator.lifecycles }
    return Explainer(
      registry.store,
      OpenDecider(
        registry.store, registry.links, opening.confirmations, registry.remotes,
        opening.redirectLoops,
        handlers.supervisor, handlers.deliveries, DeliverySettings(), journal, opening.devices,
        check),
      registry.documents, registry.remotes, launches, registry.endpointChecks, longest: 1000)
  }

  func explain(
    _ url: String, _ caller: IdentifiedCaller = DaemonWorld.caller()
  ) throws -> Options {
    try explainer().explain(url, QueryOptions(), caller)
  }

  func steps(_ explanation: Options) -> [String] {
    (explanation["steps"]?.elements ?? []).map {
      ($0.elements ?? []).compactMap(\.asString).joined(separator: ": ")
    }
  }
}
