import BusContract
import CallerIdentity
import DBus
import DBusMainLoop
import DaemonSettings
import Foundation
import Host
import LaunchRules
import ProcessSupervision
import Records
import Testing

@testable import LaunchServicesDaemon

@MainActor
@Suite("Deliveries", .timeLimit(.minutes(30)))
struct DeliveryServiceTests {
  @Test("A request goes to the connection that checked in, and the answer to the rules")
  func delivers() async throws {
    let world = try await DeliveryWorld()
    world.checkIn()
    try await world.deliver("photos:1")
    #expect(try await world.event() == "1 handled true")
    #expect(world.heard == ["OpenURLs"])
    world.manner = .refusing("no")
    try await world.deliver("photos:2")
    #expect(
      try await world.event() == "2 failed no")
  }

  @Test("An answer that is too large is not read, and the text of an error is cut")
  func largeAnswers() async throws {
    let world = try await DeliveryWorld()
    world.checkIn()
    world.manner = .answering([.booleans([Bool](repeating: true, count: 100_000))])
    try await world.deliver("photos:1")
    #expect(
      try await world.event()
        == "1 refused its program answered OpenURLs with more than 64 KiB, which was not read")
    world.manner = .refusing(String(repeating: "x", count: 5_000_000))
    try await world.deliver("photos:2")
    let event = try await world.event()
    #expect(event.hasPrefix("2 failed xxx") && event.contains("x…x"))
    #expect(event.utf8.count < 4200)
    world.ownName()
    world.manner = .answering([.string(String(repeating: "x", count: 100_000))])
    try await world.deliver("photos:3")
    // The reply of `Open` says nothing more than that the method has returned.
    #expect(try await world.event() == "3 handled true")
  }

  @Test("An application that is known by its bus name is spoken to in its own interface")
  func byName() async throws {
    let world = try await DeliveryWorld()
    world.ownName()
    try await world.deliver("photos:1")
    #expect(try await world.event() == "1 handled true")
    #expect(world.heard == ["Open"])
    #expect(world.deliveries.instance(metAs: world.photos.slot.application) == world.photos)
    world.checkIn()
    #expect(world.deliveries.instance(metAs: world.photos.slot.application) == nil)
  }

  @Test("What cannot be recorded is not delivered") func unrecorded() async throws {
    let world = try await DeliveryWorld()
    world.checkIn()
    world.deliveries.recordDelivery = { open, _, then in
      open.acceptanceRecorded(true)
      then(false)
    }
    try await world.deliver("photos:1")
    #expect(
      try await world.event() == "1 refused the delivery could not be recorded")
    #expect(world.heard.isEmpty)
  }

  @Test("An instance without a connection gets nothing") func notConnected() async throws {
    let world = try await DeliveryWorld()
    try await world.deliver("photos:1")
    #expect(try await world.event() == "1 refused the application is not connected to the bus")
  }

  @Test("Nothing is delivered after the daemon has stopped") func stopped() async throws {
    let world = try await DeliveryWorld()
    world.checkIn()
    var proceed: [(Bool) -> Void] = []
    world.deliveries.recordDelivery = { proceed.append($2) }
    try await world.deliver("photos:1")
    world.deliveries.stop()
    proceed[0](true)
    #expect(world.events.isEmpty)
    #expect(world.heard.isEmpty)
  }

  // MARK: Ends

  @Test("A connection that has gone is reported; with the end of its process, if that was known")
  func leaves() async throws {
    let world = try await DeliveryWorld()
    world.checkIn()
    world.deliveries.left(DeliveryWorld.connection)
    #expect(try await world.event() == "connection lost")
    #expect(!world.deliveries.awaitLastMessages(of: world.photos, .unknown))
    world.checkIn()
    let request = try await world.accept("photos:1")
    // Last messages are awaited for a second, so nothing else may run until the connection has gone.
    #expect(world.deliveries.awaitLastMessages(of: world.photos, .exited(code: 3)))
    world.deliveries.deliver(request, to: world.photos)
    world.deliveries.left(DeliveryWorld.connection)
    #expect(try await world.event() == "1 not delivered")
    #expect(try await world.event() == "exited with code 3")
  }

  @Test("The last messages of a process are not awaited without end") func lastMessages()
    async throws
  {
    let world = try await DeliveryWorld()
    world.checkIn()
    #expect(world.deliveries.awaitLastMessages(of: world.photos, .exited(code: 3)))
    #expect(try await world.event() == "exited with code 3")
  }

  @Test(
    "A process that has lost its name and does not end is reported; one that owns it again is not")
  func losesName() async throws {
    let world = try await DeliveryWorld()
    world.ownName()
    world.deliveries.lostName(world.photos, mayEnd: true)
    #expect(world.deliveries.connection(of: world.photos) == nil)
    #expect(try await world.event() == "stayed without its name")
    world.deliveries.lostName(world.photos, mayEnd: true)
    world.ownName()
    world.deliveries.lostName(world.photos, mayEnd: false)
    #expect(try await world.event() == "stayed without its name")
    #expect(world.events.isEmpty)
  }
}

/// A service, and an application at the other end of a socket.
@MainActor final class DeliveryWorld {
  enum Manner {
    case handling
    case refusing(String)
    case answering([Value])
  }

  static let connection = SocketPair.name

  let photos = InstanceID(InstanceSlot(BundleIdentifier("com.example.photos")!), ordinal: 1)
  let deliveries: DeliveryService
  var manner = Manner.handling
  private(set) var heard: [String] = []
  /// Those that were not waited for.
  private(set) var events: [String] = []
  private let sockets: SocketPair
  private let opens = PendingOpens(1...1000) { _, _ in }
  private let supervisor: ProcessSupervisor
  private var received: [PendingCall] = []
  private let arrivals: AsyncStream<Void>
  private let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init() async throws {
    sockets = try await SocketPair()
    let daemonSide = sockets.daemon
    daemonSide.mostReplyBytes = CallLimits.mostReplyBytes
    let arrived: AsyncStream<Void>.Continuation
    (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let journal = Journal(program: "delivery-tests", environment: [:], descriptor: -1)
    let services = ServiceManager(BusSession(nil), journal)
    let direct = PeerServer(path: nil, hasBus: true, pace: RepairPace(), journal) { ":direct.1" }
    supervisor = ProcessSupervisor(
      LaunchSettings().supervision, HandlerEnvironment(inheriting: [:]),
      units: UnitBackend(services, journal), children: ChildBackend(), journal)
    supervisor.add(photos, pid: getpid(), startTime: 1)
    deliveries = DeliveryService(
      daemonSide, direct,
      CallerTable(daemonSide, WebOrigin(), services, nil, journal) {
        direct.credentials(of: $0).map { .process($0) }
      },
      supervisor, opens,
      DeliverySettings(), journal
    ) { $1(.success([])) }
    deliveries.onEvent = { [weak self] in self?.record($0) }
    daemonSide.onCall = { [weak self] in
      self?.received.append($0)
      arrived.yield()
    }
    sockets.other.onCall = { [weak self] in self?.answer($0) }
  }

  func checkIn() {
    deliveries.checkedIn(photos, on: Self.connection, at: nil, wantsDescriptors: false)
  }

  func ownName() {
    deliveries.met(
      photos, as: FreedesktopApplication(photos.slot.application)!, on: Self.connection)
  }

  /// Delivers a URL that the application itself has asked to be opened.
  func deliver(_ url: String) async throws {
    deliveries.deliver(try await accept(url), to: photos)
  }

  /// Makes a pending open.
  func accept(_ url: String) async throws -> OpenRequest {
    sockets.other.send(MessageBus.nameOwner(Contract.busName))
    var iterator = arrivals.makeAsyncIterator()
    await iterator.next()
    let reply = PendingReply(received.removeFirst())
    let request = OpenRequest(opens.nextRequest(), .url, activates: true)
    let handler = InstalledApplication(
      declaration: ApplicationDeclaration(identifier: photos.slot.application),
      propertyList: "/nowhere/Info.plist", folder: "/nowhere")
    opens.add(
      request.id,
      PendingOpen(
        payload: .url(url), receiver: .application(handler), options: OpenOptions(), source: nil,
        reply: reply,
        share: .unit("tests"),
        entry: RequestEntry(
          number: request.id.number, time: 0, caller: "tests", subject: url,
          handler: handler.identifier.text), isRepeated: false))
    return request
  }

  private func answer(_ call: PendingCall) {
    heard.append("\(call.member)")
    switch manner {
    case .handling: call.succeed(call.member == "OpenURLs" ? [.booleans([true])] : [])
    case .refusing(let why): call.fail(.failed(why))
    case .answering(let values): call.succeed(values)
    }
  }

  private func record(_ event: DeliveryService.Event) {
    let text = text(event)
    events.append(text)
    continuation.yield(text)
  }

  private func text(_ event: DeliveryService.Event) -> String {
    switch event {
    case .answered(_, let request, .handled(let isHandled)):
      "\(request.number) handled \(isHandled)"
    case .answered(_, let request, .passedOn(let handOver)):
      "\(request.number) passed on by \(handOver.way.text)"
    case .answered(_, let request, .refused(let why)): "\(request.number) refused \(why)"
    case .answered(_, let request, .unknown(let why)): "\(request.number) unknown \(why)"
    case .answered(_, let request, .failed(let words)): "\(request.number) failed \(words)"
    case .answered(_, let request, .timedOut): "\(request.number) timed out"
    case .answered(_, let request, .notDelivered): "\(request.number) not delivered"
    case .invoked(let request): "\(request.id.number) invoked"
    case .connectionLost: "connection lost"
    case .stayedWithoutName: "stayed without its name"
    case .ended(_, let end): "\(end)"
    }
  }

  /// Waits for the next event.
  func event() async throws -> String {
    var iterator = stream.makeAsyncIterator()
    let event = await iterator.next()
    events.removeFirst()
    return try #require(event)
  }
}
