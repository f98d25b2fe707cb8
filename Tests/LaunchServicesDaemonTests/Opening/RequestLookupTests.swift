import BusContract
import DBus
import DBusMainLoop
import LaunchRules
import Records
import ScriptedProcesses
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Requests that are made again", .timeLimit(.minutes(30)))
struct RequestLookupTests {
  @Test("A request that is under way is joined, and one that has a fate is answered with that")
  func joins() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1", name: "one")
    #expect(try world.find("photos:1", "one", .never, reply: "again") == "answered")
    _ = try await world.launch()
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    #expect(try await world.answers.next() == "again delivered cold")
    let found = await world.requests.store.find(RequestName("one"), isRepeated: false)
    #expect(try world.find("photos:1", "one", found, reply: "later") == "answered")
    #expect(try await world.answers.next() == "later repeated delivered cold")
    #expect(world.backend.orders.count == 1)
  }

  @Test("A name that was used for another request is refused") func otherRequest() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1", name: "one")
    let error = #expect(throws: BusError.self) {
      try world.find("photos:2", "one", .never, reply: "again")
    }
    #expect(error?.text == RepeatedRequest.otherRequest)
  }

  @Test("A request that the daemon before was handing over has the fate DeliveryUnknown, for good")
  func unknown() async throws {
    let world = try await DaemonWorld()
    let entry = RequestEntry(
      number: 7, time: 0, caller: "tests", name: RequestName("one"), subject: "photos:1",
      fingerprint: DaemonWorld.fingerprint("photos:1").value, handler: DaemonWorld.photos.text,
      progress: .delivering, pid: 4711, startTime: 1)
    let error = #expect(throws: BusError.self) {
      try world.find("photos:1", "one", .entry(entry), reply: "again")
    }
    #expect(error.map(Contract.shortName) == "DeliveryUnknown")
    let found = await world.requests.store.find(RequestName("one"), isRepeated: false)
    guard case .entry(let recorded) = found else {
      Issue.record("it is not recorded: \(found)")
      return
    }
    #expect(recorded.progress == .settled)
    #expect(recorded.fate == OpenFailure.deliveryUnknown("").name)
  }

  @Test("A connection has one scope of identifiers, also when its program is registered meanwhile")
  func registeredMeanwhile() async throws {
    let world = try await DaemonWorld()
    let registry = world.registry.store.registry
    let application = Caller.application(DaemonWorld.photos, .executable)
    try #require(registry.sandboxed(application) != nil)
    let facts = DaemonWorld.facts(7)
    for caller in [.unidentified, application] {
      #expect(
        try IdentifiedCaller(caller, on: "1", facts).requestName("job", in: registry)
          == RequestName("job"))
    }
    // On another connection nothing was asked before.
    #expect(
      try IdentifiedCaller(application, on: "2", DaemonWorld.facts(7))
        .requestName("job", in: registry)
        == RequestName("job", confined: DaemonWorld.photos.text))
  }

  @Test("A process is asked again about a request until it may have forgotten the request")
  func forgotten() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:0")
    _ = try await world.launch()
    let process = try #require(world.coordinator.process(of: DaemonWorld.photos))
    let entry = RequestEntry(
      number: world.requests.opens.nextRequest().number, time: 0, caller: "tests",
      name: RequestName("one"), subject: "photos:1",
      fingerprint: DaemonWorld.fingerprint("photos:1").value, handler: DaemonWorld.photos.text,
      progress: .delivering, pid: process.pid, startTime: process.startTime)
    for _ in 0..<RepeatedRequest.farthest { _ = world.requests.opens.nextRequest() }
    #expect(try world.find("photos:1", "one", .entry(entry), reply: "again") == "again")
    _ = world.requests.opens.nextRequest()
    let error = #expect(throws: BusError.self) {
      try world.find("photos:1", "one", .entry(entry), reply: "again")
    }
    #expect(error.map(Contract.shortName) == "DeliveryUnknown")
    #expect(error?.text.contains("may have forgotten") == true)
  }

  @Test("A request that the daemon before did not hand over is new; one of a lost record is not")
  func neverHandedOver() async throws {
    let world = try await DaemonWorld()
    let entry = RequestEntry(
      number: 7, time: 0, caller: "tests", name: RequestName("one"), subject: "photos:1",
      fingerprint: DaemonWorld.fingerprint("photos:1").value, handler: DaemonWorld.photos.text)
    #expect(try world.find("photos:1", "one", .entry(entry), reply: "again") == "new")
    #expect(throws: BusError.self) {
      try world.find("photos:1", "one", .unknown("the record was lost"), reply: "again")
    }
  }

  @Test(
    "A request without a name is not looked for; the answer of the record is not used after the end"
  )
  func lookingFor() async throws {
    let world = try await DaemonWorld()
    var found: [RequestFound] = []
    guard
      case .pending = try world.lookup.afterLookingFor(
        nil, isRepeated: false, { found.append($0) })
    else {
      Issue.record("a request without a name was looked for")
      return
    }
    #expect(found == [.never])
    for isStopped in [false, true] {
      if isStopped { world.coordinator.stop() }
      let reply = try world.lookup.afterLookingFor(RequestName("one"), isRepeated: true) {
        found.append($0)
      }
      guard case .pendingAfter(let work) = reply else {
        Issue.record("a repeated request was not looked for")
        return
      }
      try await work()
    }
    #expect(found == [.never, .never])
  }
}

extension DaemonWorld {
  var lookup: RequestLookup {
    RequestLookup(
      registry.store, registry.remotes, OutsidePaces(opensPerMinute: 30), requests.store,
      requests.opens, requests.history, coordinator)
  }

  static func caller(_ connection: String = SocketPair.name, pid: Int32 = 7) -> IdentifiedCaller {
    IdentifiedCaller(.unidentified, on: connection, facts(pid))
  }

  /// Looks for a request, as `OpenService` does.
  func find(
    _ url: String, _ name: String, _ found: RequestFound, reply label: String
  ) throws -> String {
    let submission = OpenSubmission(
      caller: Self.caller(),
      question: OpenRule.Question(
        .application(Self.photos), caller: .unidentified, acting: .unidentified),
      payload: .url(url), subject: url, name: RequestName(name),
      fingerprint: Self.fingerprint(url), options: OpenOptions(), reply: reply(label))
    return switch try lookup.find(submission, found) {
    case .new: "new"
    case .answered: "answered"
    case .again: "again"
    case .againToDevice: "again to the device"
    }
  }
}
