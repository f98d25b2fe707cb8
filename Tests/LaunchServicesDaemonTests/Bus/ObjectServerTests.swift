import BusContract
import DBus
import DBusMainLoop
import Glibc
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Calls and their replies", .timeLimit(.minutes(30)))
struct ObjectServerTests {
  @Test("The calls of a connection are answered in their order, and other callers do not wait")
  func order() async throws {
    let world = try await ServerWorld()
    let gate = world.answerLater("slow")
    for name in ["slow", "next", "last"] { try await world.ask(name, from: world.one) }
    try await world.ask("other", from: world.two)
    world.receive()
    #expect(try await world.replies.next() == "other answered")
    #expect(world.asked == ["slow", "other"])
    gate.add(())
    #expect(try await world.replies(3) == ["slow answered", "next answered", "last answered"])
    #expect(world.asked == ["slow", "other", "next", "last"])
  }

  @Test("Callers take turns, however many calls of one of them wait") func turns() async throws {
    let world = try await ServerWorld()
    await world.identifyCallers()
    for number in 1...4 { try await world.ask("a\(number)", from: world.one) }
    for number in 1...2 { try await world.ask("b\(number)", from: world.two) }
    world.receive()
    _ = try await world.replies(6)
    #expect(world.asked == ["a1", "b1", "a2", "b2", "a3", "a4"])
  }

  @Test("A caller whose calls take long gets as much time as one whose calls take little")
  func time() async throws {
    let world = try await ServerWorld()
    await world.identifyCallers()
    world.respond = { [unowned world] _ in
      world.clock.time += world.asked.last?.hasPrefix("a") == true ? 12_000_000 : 4_000_000
      return .nothing
    }
    for number in 1...3 { try await world.ask("a\(number)", from: world.one) }
    for number in 1...6 { try await world.ask("b\(number)", from: world.two) }
    world.receive()
    _ = try await world.replies(9)
    #expect(world.asked == ["a1", "b1", "b2", "b3", "a2", "b4", "b5", "b6", "a3"])
  }

  /// 24 callers that asked for the handlers of a scheme with 1,500 applications had everybody wait for all 24 answers.
  @Test(
    "An answer that takes long is made in turns of its caller, and holds the next call of its connection",
    arguments: [false, true])
  func steps(isLater: Bool) async throws {
    let world = try await ServerWorld()
    await world.identifyCallers()
    world.respond = { [unowned world] _ in
      guard world.asked.last == "long" else { return .nothing }
      var left = 3
      let step: Reply.Step = { [unowned world] in
        world.asked.append("step")
        world.clock.time += 12_000_000
        left -= 1
        return left > 0 ? nil : []
      }
      return isLater ? .laterInTurns { step } : .inTurns(step)
    }
    for name in ["long", "next"] { try await world.ask(name, from: world.one) }
    for number in 1...4 { try await world.ask("b\(number)", from: world.two) }
    world.receive()
    let replies = try await world.replies(6)
    #expect(
      replies.filter { !$0.hasPrefix("b") } == ["long answered", "next answered"])
    #expect(world.asked.filter { !$0.hasPrefix("b") } == ["long", "step", "step", "step", "next"])
    // The other caller, whose calls cost nothing, waits for one step at most.
    let others = world.asked.filter { $0 != "long" && $0 != "next" }
    #expect(others.count == 7 && others.suffix(2) == ["step", "step"])
  }

  @Test("An answer that fails in a step is an error, and the next call is answered")
  func stepFails() async throws {
    let world = try await ServerWorld()
    world.respond = { [unowned world] _ in
      guard world.asked.last == "bad" else { return .nothing }
      var isFirst = true
      return .inTurns { () throws(BusError) in
        guard isFirst else { throw .invalidArguments("no") }
        isFirst = false
        return nil
      }
    }
    for name in ["bad", "good"] { try await world.ask(name, from: world.one) }
    world.receive()
    #expect(
      try await world.replies(2)
        == ["bad org.freedesktop.DBus.Error.InvalidArgs", "good answered"])
  }

  @Test("An answer that is half made when its caller leaves ends, and gives its place to another")
  func leavesBetweenSteps() async throws {
    let world = try await ServerWorld { _ in ServerWorld.credentials(getpid()) }
    await world.identifyCallers()
    let steps = EventStream<Void>()
    world.respond = { [unowned world] request in
      .inTurns { [unowned world] in
        world.clock.time += 12_000_000
        steps.add(())
        return request.call.sender == SocketPair.name ? nil : []
      }
    }
    try await world.call(Contract.listApplications(), "first", from: world.one)
    world.receive()
    try await steps.next()
    try await world.call(Contract.listApplications(), "second", from: world.two)
    world.receive()
    world.server.left(SocketPair.name)
    #expect(try await world.forgotten.next() == SocketPair.name)
    #expect(try await world.replies.next() == "second answered")
  }

  /// With 24 callers that had long explanations made, one after the other, each call of another waited for all 24.
  @Test("A caller that has used little comes next, also when the calls of others were read before")
  func readingOrder() async throws {
    let world = try await ServerWorld()
    await world.identifyCallers()
    world.respond = { [unowned world] _ in
      world.clock.time += world.asked.last?.hasPrefix("a") == true ? 12_000_000 : 400_000
      return .nothing
    }
    for number in 1...3 { try await world.ask("a\(number)", from: world.one) }
    try await world.ask("b1", from: world.two)
    world.receiveEach()
    #expect(
      try await world.replies(4).sorted() == (1...3).map { "a\($0) answered" } + ["b1 answered"])
    #expect(world.asked == ["a1", "b1", "a2", "a3"])
  }

  @Test("Short answers take place at once, for a thousandth of a second in all")
  func atOnce() async throws {
    let world = try await ServerWorld()
    await world.identifyCallers()
    world.respond = { [unowned world] _ in
      world.clock.time += 400_000
      return .nothing
    }
    for number in 1...4 { try await world.ask("a\(number)", from: world.one) }
    try await world.ask("b1", from: world.two)
    world.receiveEach()
    #expect(world.asked == ["a1", "a2", "a3"])
    _ = try await world.replies(5)
    #expect(world.asked == ["a1", "a2", "a3", "b1", "a4"])
  }

  @Test("Calls that come before the server begins wait, and are answered in their order")
  func beginning() async throws {
    let world = try await ServerWorld(calls: 3, begins: false)
    for number in 1...4 { try await world.ask("a\(number)", from: world.one) }
    world.receive()
    #expect(try await world.replies.next() == "a4 LimitExceeded")
    #expect(world.asked == [])
    world.server.begin()
    #expect(try await world.replies(3) == ["a1 answered", "a2 answered", "a3 answered"])
  }

  @Test("A caller that leaves before the server begins: its changes take effect then")
  func leavesBeforeBeginning() async throws {
    let world = try await ServerWorld(begins: false)
    try await world.change("change", from: world.one)
    try await world.ask("question", from: world.one)
    world.receive()
    world.server.left(SocketPair.name)
    #expect(world.asked == [])
    world.server.begin()
    #expect(try await world.forgotten.next() == SocketPair.name)
    #expect(world.asked == ["change"])
  }

  /// Each connection of a caller had the daemon make a history of megabytes, which nobody read.
  @Test("A caller gets one history at a time on all its connections, and other calls do not wait")
  func largeAnswers() async throws {
    let world = try await ServerWorld { _ in ServerWorld.credentials(getpid()) }
    await world.identifyCallers()
    let gate = EventStream<Void>()
    world.respond = { request in
      guard case .history = request.content else { return .nothing }
      return .later {
        _ = try? await gate.next()
        return []
      }
    }
    func history() -> Message { Contract.history(HistoryOptions()) }
    try await world.call(history(), "first", from: world.one)
    try await world.ask("question", from: world.two)
    try await world.call(history(), "second", from: world.two)
    world.receive()
    #expect(try await world.replies.next() == "question answered")
    #expect(world.asked.count == 2)
    gate.add(())
    #expect(try await world.replies.next() == "first answered")
    gate.add(())
    #expect(try await world.replies.next() == "second answered")
  }

  @Test("Two connections of one caller share a turn") func shares() async throws {
    let world = try await ServerWorld { _ in ServerWorld.credentials(getpid()) }
    await world.identifyCallers()
    for number in 1...2 { try await world.ask("a\(number)", from: world.one) }
    for number in 1...2 { try await world.ask("b\(number)", from: world.two) }
    world.receive()
    _ = try await world.replies(4)
    #expect(world.asked == ["a1", "b1", "a2", "b2"])
  }

  @Test("An error is the answer, and the next call is answered") func errors() async throws {
    let world = try await ServerWorld()
    world.respond = { _ throws(BusError) in
      if world.asked.last == "bad" { throw .invalidArguments("no") }
      return .values([])
    }
    for name in ["bad", "good"] { try await world.ask(name, from: world.one) }
    world.receive()
    #expect(
      try await world.replies(2)
        == ["bad org.freedesktop.DBus.Error.InvalidArgs", "good answered"])
  }

  @Test("Work that follows a reply is done after the reply is sent") func work() async throws {
    let world = try await ServerWorld()
    var order: [String] = []
    world.respond = { request in
      .answering([]) { order.append(request.call.isAnswered ? "after" : "before") }
    }
    try await world.ask("it", from: world.one)
    world.receive()
    #expect(try await world.replies.next() == "it answered")
    #expect(order == ["after"])
  }

  @Test("A call that is answered in order holds the next calls of its connection until its reply")
  func inOrder() async throws {
    let world = try await ServerWorld()
    var kept: PendingCall?
    world.respond = { request in
      guard kept == nil else { return .values([]) }
      kept = request.call
      return .pendingInOrder
    }
    for name in ["check-in", "finish"] { try await world.ask(name, from: world.one) }
    try await world.ask("other", from: world.two)
    world.receive()
    #expect(try await world.replies.next() == "other answered")
    #expect(world.asked == ["check-in", "other"])
    kept?.succeed()
    #expect(try await world.replies(2) == ["check-in answered", "finish answered"])
  }

  // MARK: The end

  @Test("When the server stops, each call gets one error: those that wait, and all that follow")
  func stop() async throws {
    let world = try await ServerWorld()
    let gate = world.answerLater("slow")
    for name in ["slow", "next"] { try await world.ask(name, from: world.one) }
    world.receive()
    #expect(try await world.asks.next() == "slow")
    world.server.stop(ServerWorld.stopped.busError)
    #expect(
      Set(try await world.replies(2)) == ["slow ShuttingDown", "next ShuttingDown"])
    // The work ends after the call was answered, and answers nothing.
    gate.add(())
    for name in ["late", "later"] { try await world.ask(name, from: world.two) }
    world.receive()
    #expect(try await world.replies(2) == ["late ShuttingDown", "later ShuttingDown"])
    #expect(world.asked == ["slow"])
  }

  @Test("When a caller leaves, its changes take effect, and its questions are dropped")
  func leaves() async throws {
    let world = try await ServerWorld()
    let gate = world.answerLater("slow")
    try await world.change("slow", from: world.one)
    try await world.ask("question", from: world.one)
    try await world.change("change", from: world.one)
    try await world.ask("other", from: world.two)
    world.receive()
    #expect(try await world.replies.next() == "other answered")
    world.server.left(SocketPair.name)
    world.server.left(":direct.3")
    // A connection without calls has nothing to wait for.
    #expect(try await world.forgotten.next() == ":direct.3")
    gate.add(())
    #expect(try await world.forgotten.next() == SocketPair.name)
    #expect(world.asked == ["slow", "other", "change"])
  }

  /// Six processes that sent changes and closed their connections, again and again, made others wait for seconds.
  @Test("The changes of a caller that has left wait for their turn") func leavesInTurn()
    async throws
  {
    let world = try await ServerWorld()
    await world.identifyCallers()
    world.respond = { [clock = world.clock] _ in
      clock.time += 1000
      return .nothing
    }
    for number in 1...3 { try await world.change("change \(number)", from: world.one) }
    try await world.ask("question", from: world.two)
    world.receive(answers: false)
    world.server.left(SocketPair.name)
    #expect(try await world.forgotten.next() == SocketPair.name)
    #expect(world.asked == ["change 1", "question", "change 2", "change 3"])
  }

  // MARK: Limits

  @Test("Calls beyond the limit of a caller are refused; another caller has a limit of its own")
  func limits() async throws {
    for (calls, bytes, answered) in [(2, 1 << 20, 3), (100, 300, 2)] {
      let world = try await ServerWorld(calls: calls, bytes: bytes)
      let url = "photos:" + String(repeating: "1", count: 20)
      for _ in 1...4 { try await world.call(Contract.canOpenURL(url), "a", from: world.one) }
      try await world.call(Contract.canOpenURL(url), "b", from: world.two)
      world.receive()
      #expect(
        Set(try await world.replies(5)) == ["a answered", "a LimitExceeded", "b answered"])
      #expect(world.asked.count == answered)
    }
  }

  /// Sixty processes of one parent had 300 MB wait, because each had only a limit of its own.
  @Test(
    "Calls of one process leave little to its parent; one without queued calls can always make a small one"
  )
  func limitOfAll() async throws {
    let world = try await ServerWorld(bytes: 20_000, begins: false)
    await world.identifyCallers()
    func url(_ count: Int) -> String { "photos:" + String(repeating: "1", count: count) }
    // All callers together have 40,000 bytes. The last call of a caller may exceed its limit.
    for (name, caller, size) in [
      ("a", world.one, 39_000), ("large", world.two, 17_000), ("small", world.two, 1000),
      ("second", world.two, 10),
    ] {
      try await world.call(Contract.canOpenURL(url(size)), name, from: caller)
      world.receive()
    }
    let refused = try await world.replies(2)
    #expect(Set(refused) == ["large LimitExceeded", "second LimitExceeded"])
    world.server.begin()
    let answered = try await world.replies(2)
    #expect(Set(answered) == ["a answered", "small answered"])
    // Options count as much as URLs.
    let options = ["annotation": Value.string(url(30_000))]
    for name in ["first", "next", "last"] {
      try await world.call(
        .call(
          to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
          member: "OpenURL", [.string("photos:1"), .options(options)]), name, from: world.one)
    }
    world.receive()
    let limited = try await world.replies(3)
    #expect(Set(limited) == ["first answered", "last LimitExceeded", "next LimitExceeded"])
    // Nothing is queued any more.
    try await world.call(Contract.canOpenURL(url(17_000)), "large", from: world.two)
    world.receive()
    #expect(try await world.replies.next() == "large answered")
  }

  /// A path of 64 MiB kept libdbus from reading the bus connection for 25 s.
  @Test("A call of an object with a very long path is refused, and the path is not repeated")
  func longPath() async throws {
    let world = try await ServerWorld()
    let path = try #require(ObjectPath("/" + String(repeating: "a", count: 300)))
    let end = EventStream<BusError?>()
    let call = try await world.one.call(
      .call(to: Contract.busName, path: path, interface: Contract.workspace, member: "Ping", [])
    ) {
      if case .failure(let error) = $0 { end.add(error) } else { end.add(nil) }
    }
    world.one.daemon.onCall?(call)
    let error = try #require(try await end.next())
    #expect(error.name == .unknownObject && error.text.utf8.count < 100)
    #expect(world.asked == [])
  }

  @Test("Replies to calls of the daemon are limited on each connection that is served")
  func replyLimit() async throws {
    let world = try await ServerWorld()
    #expect(world.one.daemon.mostReplyBytes == CallLimits.mostReplyBytes)
  }

  // MARK: Evidence

  @Test("What could not be found out of a caller is asked again for its next call")
  func unread() async throws {
    let world = try await ServerWorld { _ in nil }
    var questions = 0
    world.one.other.onCall = { call in
      questions += 1
      if questions == 1 { return call.fail(.failed("not now")) }
      call.succeed([.options(ServerWorld.credentials(getpid()))])
    }
    var known: [Bool] = []
    world.respond = { request in
      known.append((try? request.facts.get()) != nil)
      return .nothing
    }
    for _ in 1...2 {
      try await world.ask("it", from: world.one)
      world.receive()
      #expect(try await world.replies.next() == "it answered")
    }
    #expect(known == [false, true])
    #expect(questions == 2)
  }

  // MARK: Arguments

  @Test("Each method of the contract refuses arguments of a wrong type, before a service sees them")
  func arguments() async throws {
    let world = try await ServerWorld()
    for interface in Contract.interfaces {
      for method in interface.methods {
        try await world.call(
          .call(
            to: Contract.busName, path: Contract.objectPath, interface: interface.name,
            member: method.name, [.double(1)]), method.name.text, from: world.one)
        world.receive()
        #expect(
          try await world.replies.next()
            == "\(method.name.text) org.freedesktop.DBus.Error.InvalidArgs")
      }
    }
    #expect(world.asked.isEmpty)
  }

  @Test("The standard interfaces are answered without a service") func standardInterfaces()
    async throws
  {
    let world = try await ServerWorld()
    world.server.registryProperties = { ["Generation": .uint64(7)] }
    try await world.call(Contract.ping(), "ping", from: world.one)
    try await world.call(Contract.registryProperty("Generation"), "get", from: world.one)
    try await world.call(Contract.registryProperty("Other"), "other", from: world.one)
    world.receive()
    #expect(
      try await world.replies(3)
        == ["ping answered", "get answered", "other org.freedesktop.DBus.Error.UnknownProperty"])
    #expect(world.asked.isEmpty)
  }
}

extension ServerWorld {
  /// Has the call of this name answered when something is added to the result, and all others at once.
  func answerLater(_ name: String) -> EventStream<Void> {
    let gate = EventStream<Void>()
    respond = { [unowned self] _ in
      guard asked.last == name else { return .nothing }
      return .later {
        try? await gate.next()
        return []
      }
    }
    return gate
  }
}
