import DBus
import DBusMainLoop
import Glibc
import LaunchServicesTesting
import Testing

/// Two connections on a private bus: one calls, one is called.
@MainActor
private struct Pair {
  let caller: BusSession
  let called: BusSession

  init(_ world: Testbed) throws {
    let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
    caller = BusSession(try Connection(address: address))
    called = BusSession(try Connection(address: address))
    caller.start()
  }

  func message(_ arguments: [Value] = []) throws -> Message {
    .call(
      to: try #require(called.connection.map(\.uniqueName).flatMap(BusName.init)), path: "/",
      interface: "a.b",
      member: "M", arguments)
  }
}

@MainActor
@Suite("A session on the bus", .timeLimit(.minutes(30)))
struct SessionTests {
  @Test("a call that is dropped is answered all the same") func dropped() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let pair = try Pair(world)
      pair.called.onCall = { _ in }
      pair.called.start()
      let error = try await failure(of: pair)
      #expect(error.name == "org.freedesktop.DBus.Error.NoReply")
      #expect(error.text == "the service dropped the call without an answer")
    }
  }

  @Test("a call has its deadline, and an answer that comes later harms nobody")
  func deadline() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let pair = try Pair(world)
      var kept: [PendingCall] = []
      pair.called.onCall = { kept.append($0) }
      pair.called.start()
      let error = try await failure(of: pair, deadline: .milliseconds(50))
      #expect(error == .timedOut)
      for call in kept { call.succeed([.string("late")]) }
      pair.called.onCall = { $0.succeed([.string("in time")]) }
      #expect(try await pair.caller.call(pair.message()) == [.string("in time")])
    }
  }

  @Test("calls that come faster than the pace allows wait, and are served in order")
  func pace() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let pair = try Pair(world)
      let pause = Duration.milliseconds(20)
      var served: [Value] = []
      var due = ContinuousClock.now
      pair.called.pace = { _ in
        // Before the call is served.
        guard served.count % 10 == 9 else { return nil }
        due = .now + pause
        return pause
      }
      pair.called.onCall = { call in
        if served.count % 10 == 0 { #expect(ContinuousClock.now >= due) }
        let arguments = call.arguments()
        served += arguments
        call.succeed(arguments)
      }
      pair.called.start()
      let numbers = (0..<50 as Range<UInt32>).map(Value.uint32)
      for number in numbers.dropLast() {
        pair.caller.call(try pair.message([number]), deadline: nil) { _ in }
      }
      #expect(try await pair.caller.call(pair.message([numbers[49]])) == [numbers[49]])
      #expect(served == numbers)
    }
  }

  @Test("a thousand calls at once are served in order, each with its own answer")
  func order() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let pair = try Pair(world)
      var served: [Value] = []
      pair.called.onCall = { call in
        let arguments = call.arguments()
        served += arguments
        call.succeed(arguments)
      }
      pair.called.start()
      let numbers = (0..<1000 as Range<UInt32>).map(Value.uint32)
      var answers: [Value] = []
      for number in numbers.dropLast() {
        pair.caller.call(try pair.message([number]), deadline: nil) { answer in
          answers += (try? answer.get()) ?? []
        }
      }
      answers += try await pair.caller.call(pair.message([numbers[999]]))
      #expect(served == numbers)
      #expect(answers == numbers)
    }
  }

  @Test("ten megabytes come through") func large() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let pair = try Pair(world)
      pair.called.onCall = { call in call.succeed(call.arguments()) }
      pair.called.start()
      let text = Value.string(String(repeating: "0123456789", count: 1_000_000))
      #expect(try await pair.caller.call(pair.message([text])) == [text])
    }
  }

  @Test("Regression: a large message is read in one turn of the main queue, and not in dozens")
  func pieces() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let (large, small) = (try Pair(world), try Pair(world))
      let sizes = AsyncStream<Int>.makeStream()
      @MainActor func ask(_ caller: BusSession, _ question: borrowing Message) {
        caller.call(question, deadline: nil) { answer in
          sizes.continuation.yield((try? answer.get())?.first?.asString?.utf8.count ?? 0)
        }
      }
      let question = try large.message()
      var calls: [PendingCall] = []
      large.called.onCall = { call in
        calls.append(call)
        guard calls.count == 2 else { return ask(small.caller, question) }
        // Both answers are there before any is read, the large one first.
        for (call, (caller, size)) in zip(calls, [(large.caller, 60_000), (small.caller, 10)]) {
          call.succeed([.string(String(repeating: "x", count: size))])
          large.called.connection?.flush()
          while unread(of: caller) < size { sched_yield() }
        }
      }
      large.called.start()
      ask(large.caller, question)
      var answers = sizes.stream.makeAsyncIterator()
      #expect(await [answers.next(), answers.next()] == [60_000, 10])
    }
  }

  @Test("when the bus goes, calls under way fail and it is said once") func busGone() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let pair = try Pair(world)
      var isGone = 0
      pair.caller.onDisconnect = { isGone += 1 }
      var kept: [PendingCall] = []
      pair.called.onCall = { call in
        kept.append(call)
        world.busProcess.signal(9)
      }
      pair.called.start()
      let error = try await failure(of: pair, deadline: nil)
      #expect(error.name == "org.freedesktop.DBus.Error.Disconnected")
      let after = try await failure(of: pair, deadline: nil)
      #expect(after.name == "org.freedesktop.DBus.Error.Disconnected")
      #expect(isGone == 1)
      #expect(kept.count == 1)
    }
  }

  private func unread(of session: BusSession) -> Int {
    var count: Int32 = 0
    _ = unsafe ioctl(session.connection?.fileDescriptor ?? -1, UInt(FIONREAD), &count)
    return Int(count)
  }

  private func failure(
    of pair: Pair, deadline: Duration? = .seconds(25)
  ) async throws -> BusError {
    let message = try pair.message()
    do throws(BusError) {
      let answer = try await pair.caller.call(message, deadline: deadline)
      Issue.record("answered with \(answer)")
      return .failed("answered")
    } catch {
      return error
    }
  }
}
