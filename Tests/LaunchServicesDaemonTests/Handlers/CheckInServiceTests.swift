import BusContract
import DBus
import DBusMainLoop
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Check-ins of processes", .timeLimit(.minutes(30)))
struct CheckInServiceTests {
  @Test("A token counts for the process that was given it, which checks in once") func token()
    async throws
  {
    let world = try await DaemonWorld()
    let answers = EventStream<String>()
    try world.open("photos:1")
    let id = try await world.ordered()
    world.backend.report(.running(ScriptedProcess(42)), of: id)
    let options = CheckInOptions(token: world.backend.orders[0].token)
    try await world.checkIn(options, by: 99, answers)
    #expect(
      try await answers.next() == "NotPermitted: the token was given to another process")
    try await world.checkIn(options, by: 42, answers)
    #expect(try await answers.next().hasPrefix("accepted "))
    #expect(world.handlers.deliveries.instance(on: SocketPair.name) == id)
    try await world.checkIn(options, by: 42, answers)
    #expect(
      try await answers.next()
        == "AlreadyRunning: com.example.photos runs already, as process 42")
  }

  @Test("Without a token, the owner of the bus name is its application, and nobody else")
  func busName() async throws {
    for (owner, answer) in [(SocketPair.name, "accepted "), (":direct.9", "NotPermitted: ")] {
      let world = try await DaemonWorld()
      let answers = EventStream<String>()
      world.serveBus { $0 == "GetNameOwner" ? [.string(owner)] : nil }
      world.callers.table.withFacts(of: SocketPair.name) { _ in }
      try await world.checkIn(
        CheckInOptions(bundleIdentifier: "com.example.photos"), by: 99, answers)
      #expect(try await answers.next().hasPrefix(answer))
      #expect(world.coordinator.runs(DaemonWorld.photos) == (owner == SocketPair.name))
    }
  }

  @Test("The owner of a bus name that is a desktop file ID is not that application of the desktop")
  func desktopEntry() async throws {
    let world = try await DaemonWorld()
    let identifier = try #require(BundleIdentifier("org.example.chat.desktop"))
    let scheme = try #require(URLScheme("chat"))
    world.registry.store.replaceDesktopApplications([
      ApplicationRecord(
        InstalledApplication(
          declaration: ApplicationDeclaration(
            identifier: identifier, urlTypes: [URLTypeDeclaration(schemes: [scheme])],
            platform: .macOS), propertyList: "/chat.desktop", folder: "/", origin: .desktopEntry))
    ])
    let answers = EventStream<String>()
    world.serveBus { $0 == "GetNameOwner" ? [.string(SocketPair.name)] : nil }
    world.callers.table.withFacts(of: SocketPair.name) { _ in }
    try await world.checkIn(CheckInOptions(bundleIdentifier: identifier.text), by: 99, answers)
    #expect(
      try await answers.next()
        == "NotPermitted: org.example.chat.desktop is an application of the desktop, for which only"
        + " processes check in that launchservicesd has started")
    #expect(!world.coordinator.runs(identifier))
  }

  @Test("A connection that closes before the bus names the owner does not check in")
  func closed() async throws {
    let world = try await DaemonWorld()
    var checkIns = 0
    world.handlers.checkIns.onCheckIn = { _ in checkIns += 1 }
    let questions = EventStream<Void>()
    var question: PendingCall?
    world.sockets.other.onCall = { call in
      guard call.member == "GetNameOwner" else { return call.succeed() }
      question = call
      questions.add(())
    }
    for hasClosed in [true, false] {
      world.callers.table.withFacts(of: SocketPair.name) { _ in }
      try await world.checkIn(
        CheckInOptions(bundleIdentifier: "com.example.photos"), by: 99, EventStream())
      try await questions.next()
      if hasClosed { world.callers.table.left(SocketPair.name) }
      question?.succeed([.string(SocketPair.name)])
      // It is read after the answer.
      world.kept.append(try await world.sockets.call(Contract.ping()))
      #expect(checkIns == (hasClosed ? 0 : 1))
      world.callers.table.forget(SocketPair.name)
    }
  }

  @Test("A process that is known by its bus name, and then checks in, is spoken to as a handler")
  func late() async throws {
    let world = try await DaemonWorld()
    let answers = EventStream<String>()
    let id = InstanceID(InstanceSlot(DaemonWorld.photos), ordinal: 1)
    world.handlers.supervisor.add(id, pid: 42, startTime: 1)
    world.handlers.deliveries.met(
      id, as: try #require(FreedesktopApplication(DaemonWorld.photos)), on: SocketPair.name)
    world.handlers.checkIns.onCheckIn = { _ in Issue.record("the rules were asked") }
    try await world.checkIn(CheckInOptions(), by: 42, answers)
    #expect(try await answers.next().hasPrefix("accepted "))
    #expect(!world.handlers.deliveries.isMetByName(id))
    #expect(world.handlers.deliveries.instance(on: SocketPair.name) == id)
  }

  @Test(
    "The answer has the dynamic quick actions; a check-in with an invalid identifier is refused")
  func answers()
    async throws
  {
    let world = try await DaemonWorld()
    let error = await #expect(throws: BusError.self) {
      try await world.checkIn(
        CheckInOptions(bundleIdentifier: "no identifier"), by: 42, EventStream())
    }
    #expect(error?.name == BusError.invalidArguments("").name)
    let answers = EventStream<String>()
    try world.registry.quickActions.set(
      [QuickAction(type: "new", title: "New")], of: DaemonWorld.photos)
    try world.open("photos:1")
    let id = try await world.ordered()
    world.backend.report(.running(ScriptedProcess(42)), of: id)
    try await world.checkIn(
      CheckInOptions(token: world.backend.orders[0].token), by: 42, answers)
    #expect(try await answers.next().contains(Key.shortcutItems))
  }
}

extension DaemonWorld {
  /// A process checks in over the socket; `answers` gets the keys of the answer, or the error.
  func checkIn(
    _ options: CheckInOptions, by pid: Int32, _ answers: EventStream<String>
  ) async throws {
    let call = try await sockets.call(Contract.checkIn(options)) { answer in
      switch answer {
      case .success(let values):
        let keys = values.first?.asOptions?.keys.sorted() ?? []
        answers.add("accepted " + keys.joined(separator: " "))
      case .failure(let error): answers.add("\(Contract.shortName(of: error)): \(error.text)")
      }
    }
    let caller = try handlers.identifier.caller(on: call.sender, .success(Self.facts(pid)))
    try handlers.checkIns.checkIn(options, caller, call) { [coordinator] in
      coordinator.isExpectedBack($0)
    }
  }

  /// Lets the other end of the socket answer in place of the message bus: with this process for each connection, and
  /// with what `answer` returns.
  func serveBus(_ answer: @escaping (_ member: String) -> [Value]?) {
    sockets.other.onCall = { [heard] call in
      switch call.member {
      case "GetConnectionCredentials":
        call.succeed([.options(ServerWorld.credentials(of: SocketPair.name) ?? [:])])
      case let member:
        if member == "OpenURLs" || member == "Open" { heard.add(member) }
        if let values = answer(member) { return call.succeed(values) }
        switch member {
        case "GetNameOwner": call.fail(BusError(.nameHasNoOwner, "there is none"))
        case "OpenURLs": call.succeed([.booleans([true])])
        default: call.succeed()
        }
      }
    }
  }
}
