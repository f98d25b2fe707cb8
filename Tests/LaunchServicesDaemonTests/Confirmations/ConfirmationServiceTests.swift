import BusContract
import DBus
import DBusMainLoop
import DaemonSettings
import Foundation
import Host
import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Questions to the user", .timeLimit(.minutes(30)))
struct ConfirmationServiceTests {
  @Test("The agent is asked, and the open goes on or fails as the user says") func answers()
    async throws
  {
    let world = try await ConfirmationWorld()
    try world.registerAgent()
    world.begin(1)
    let question = try await world.question()
    #expect(question.about == "1 @unidentified photos com.example.photos")
    question.answer(isAllowed: true)
    #expect(try await world.fates.next() == "1 proceeds")
    world.begin(2)
    try await world.question().answer(isAllowed: false)
    #expect(
      try await world.fates.next()
        == "2 ConfirmationDeclined: the user declined that a program opens a photos URL with"
        + " com.example.photos")
    // Neither answer was to be remembered.
    #expect(world.service.rule.approvals.entries.isEmpty)
  }

  @Test("D7: an agent is given no invisible characters, in whatever it may show")
  func invisible() async throws {
    let world = try await ConfirmationWorld(
      name: "Pho\u{202e}t\u{200b}o\u{ad}s\u{feff}\u{2066}\u{e0041}")
    try world.registerAgent()
    world.begin(1, "photos:\u{202e}1")
    let question = try await world.question()
    #expect(question.options[Key.handlerName] == .string("Pho t o s   "))
    #expect(question.options[Key.url] == .string("photos: 1"))
    #expect(
      question.options[Key.question]
        == .string("Let a program open photos:%201 with Pho t o s   ?"))
    question.answer(isAllowed: false)
  }

  @Test("The opens of one caller are asked about one after the other") func oneAtATime()
    async throws
  {
    let world = try await ConfirmationWorld()
    try world.registerAgent()
    for number: UInt64 in 1...2 { world.begin(number) }
    let first = try await world.question()
    #expect(world.service.isWaiting(RequestID(2)))
    first.answer(isAllowed: true)
    #expect(try await world.fates.next() == "1 proceeds")
    try await world.question().answer(isAllowed: true)
    #expect(try await world.fates.next() == "2 proceeds")
    #expect(!world.service.isWaiting(RequestID(2)))
  }

  @Test("An answer that is remembered answers the same question of others, and the next service")
  func remembered() async throws {
    let world = try await ConfirmationWorld()
    try world.registerAgent()
    world.begin(1)
    world.begin(2, of: ":direct.2")
    let first = try await world.question()
    let second = try await world.question()
    #expect(second.about.hasPrefix("2 "))
    first.answer(isAllowed: true, isRemembered: true)
    #expect(try await world.fates.next() == "1 proceeds")
    #expect(try await world.fates.next() == "2 proceeds")
    #expect(try await world.withdrawn.next() == "2")
    #expect(world.service.rule.approvals.entries == [world.situation.key: true])
    #expect(world.makeService().rule.approvals.entries == [world.situation.key: true])
  }

  @Test("The agent that came last is asked; when it has left, the one before") func agents()
    async throws
  {
    let world = try await ConfirmationWorld()
    try world.registerAgent("/first")
    try world.registerAgent("/last", of: ":direct.2")
    world.service.left(":direct.2")
    world.begin(1)
    let question = try await world.question()
    #expect(question.call.path == "/first")
    question.answer(isAllowed: true)
    #expect(try await world.fates.next() == "1 proceeds")
  }

  @Test("An agent that leaves before its answer, and no desktop: the open fails with both reasons")
  func agentLeaves() async throws {
    let world = try await ConfirmationWorld()
    try world.registerAgent()
    world.begin(1)
    let question = try await world.question()
    world.service.left(SocketPair.name)
    question.call.fail(.noReply("the agent has left"))
    let fate = try await world.fates.next()
    #expect(fate.hasPrefix("1 ConfirmationUnavailable: "))
    #expect(fate.contains("the agent failed: the agent has left; no desktop notification: "))
    #expect(fate.contains("lsregister approvals allow photos com.example.photos"))
  }

  @Test("A question that is not answered in time is withdrawn, and the open fails") func timeLimit()
    async throws
  {
    let world = try await ConfirmationWorld(timeout: 0)
    try world.registerAgent()
    world.begin(1)
    #expect(try await world.withdrawn.next() == "1")
    #expect(
      try await world.fates.next().contains("could not be asked: there was no answer within 0 s"))
  }

  @Test("An open that is cancelled is not asked about any more, and has no fate from here")
  func cancelled() async throws {
    let world = try await ConfirmationWorld()
    try world.registerAgent()
    world.begin(1)
    let question = try await world.question()
    world.service.cancel(RequestID(1))
    #expect(try await world.withdrawn.next() == "1")
    question.answer(isAllowed: true)
    world.begin(2)
    try await world.question().answer(isAllowed: true)
    #expect(try await world.fates.next() == "2 proceeds")
  }

  @Test("An opener that forbids to ask is refused; one has a limited number of open questions")
  func refused() async throws {
    let world = try await ConfirmationWorld()
    world.begin(1, isInteractive: false)
    #expect(
      try await world.fates.next()
        == "1 ConfirmationUnavailable: the user must confirm this open, but its option 'interactive'"
        + " does not allow a question. To settle it beforehand: lsregister approvals allow photos"
        + " com.example.photos --opener @unidentified")
    try world.registerAgent()
    let most = UInt64(ConfirmationQueue.mostInLine)
    for number in 2...most + 2 { world.begin(number) }
    #expect(try await world.fates.next().hasPrefix("\(most + 2) LimitExceeded: \(most) opens of "))
  }

  @Test("Answers for good are listed, changed all or none, and forgotten") func approvals()
    async throws
  {
    let world = try await ConfirmationWorld()
    let key = world.situation.key
    #expect(try await world.answer(.setApprovals([Approval(key, isAllowed: false)])) == [])
    #expect(
      try await world.answer(.approvals)
        == [.optionsList([Approval(key, isAllowed: false).dictionary])])
    let tooMany = try (0...Approvals.most).map { number in
      var other = key
      other.handler = try #require(BundleIdentifier("com.example.n\(number)"))
      return Approval(other, isAllowed: true)
    }
    let error = await #expect(throws: BusError.self) {
      try await world.answer(.setApprovals(tooMany))
    }
    #expect(error.map(Contract.shortName) == "LimitExceeded")
    #expect(world.service.rule.approvals.entries == [key: false])
    let reset = IncomingCall.resetApprovals(opener: nil, scheme: key.scheme, handler: nil)
    #expect(try await world.answer(reset) == [.uint32(1)])
    #expect(try await world.answer(reset) == [.uint32(0)])
    #expect(world.makeService().rule.approvals.entries.isEmpty)
  }
}

/// A service, and an agent at the other end of a socket.
@MainActor final class ConfirmationWorld {
  /// One question to the agent.
  struct Asked {
    let call: PendingCall
    let options: Options

    /// The open and what its answer would be remembered by.
    var about: String {
      [Key.id, Key.opener, Key.scheme, Key.handler].map { options[$0]?.asString ?? "?" }
        .joined(separator: " ")
    }

    func answer(isAllowed: Bool, isRemembered: Bool = false) {
      call.succeed([
        .options([Key.allowed: .boolean(isAllowed), Key.remember: .boolean(isRemembered)])
      ])
    }
  }

  let situation: ConfirmationRule.Situation
  /// What became of the opens.
  let fates = EventStream<String>()
  /// The numbers of the questions that were withdrawn.
  let withdrawn = EventStream<String>()
  private(set) var service: ConfirmationService!
  private let sockets: SocketPair
  private let settings: ConfirmationSettings
  private let folder = StateFolder.root + "/confirmations-" + UUID().uuidString
  private let journal = Journal(program: "confirmation-tests", environment: [:], descriptor: -1)
  private var questions: [PendingCall] = []
  private let arrivals = EventStream<Void>()

  init(name: String? = nil, timeout: Int = 60) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    sockets = try await SocketPair()
    var settings = ConfirmationSettings()
    settings.timeout = timeout
    self.settings = settings
    let photos = try #require(BundleIdentifier("com.example.photos"))
    situation = ConfirmationRule.Situation(
      scheme: try #require(URLScheme("photos")), opener: nil, origin: .application,
      handler: .application(
        InstalledApplication(
          declaration: ApplicationDeclaration(identifier: photos, displayName: name),
          propertyList: "/nowhere/photos.plist", folder: "/nowhere")))
    service = makeService()
    service.onProceed = { [fates] in fates.add("\($0.number) proceeds") }
    service.onFail = { [fates] in
      fates.add("\($0.number) \($1.name): \($1.sentence)")
    }
    sockets.other.onCall = { [weak self] in self?.receive($0) }
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// A service with the same file.
  func makeService() -> ConfirmationService {
    ConfirmationService(
      settings, StateFile(path: folder + "/approvals.plist"), NotificationAgent(sockets.daemon),
      journal
    ) { [sockets] _ in sockets.daemon }
  }

  private func receive(_ call: PendingCall) {
    switch call.member {
    case "Confirm":
      questions.append(call)
      arrivals.add(())
    case "Withdraw":
      withdrawn.add(call.arguments().first?.asString ?? "?")
      call.succeed()
    // No desktop shows notifications.
    default: call.fail(.failed("\(call.member) is not there"))
    }
  }

  // MARK: Opens

  func begin(
    _ number: UInt64, _ url: String = "photos:1", of connection: String = ":direct.9",
    isInteractive: Bool = true
  ) {
    service.begin(
      RequestID(number),
      ConfirmationService.Request(
        situation: situation, subject: url, connection: connection, owners: [], terminal: nil,
        isInteractive: isInteractive))
  }

  // MARK: Agents

  func registerAgent(
    _ path: ObjectPath = "/agent", of connection: String = SocketPair.name
  ) throws {
    try service.addAgent(at: path, of: connection, executable: "tests")
  }

  /// Waits until the agent is asked.
  func question() async throws -> Asked {
    try await arrivals.next()
    let call = questions.removeFirst()
    return Asked(call: call, options: try #require(call.arguments().first?.asOptions))
  }

  func answer(_ call: IncomingCall) async throws -> [Value] {
    let interface = Confirmation1(service) { Registry(policy: .lastInstalled) }
    let reply = try interface.answer(call, of: SocketPair.name, executable: "tests")
    return try #require(await reply.madeValues())
  }
}
