internal import DBus
internal import DBusMainLoop

/// Receives the events of all applications of a testbed.
@MainActor final class Director {
  let session: BusSession
  private var handlers: [String: ScriptedHandler] = [:]
  private var answers = Inbox<(number: Int, answer: Question.Answer)>()
  private var lastQuestion = 0

  init(address: String) throws(Refusal) {
    do throws(BusError) {
      let connection = try Connection(address: address)
      guard try connection.requestName(DirectorContract.busName) == .owned else {
        throw .failed("the name \(DirectorContract.busName) is taken")
      }
      session = BusSession(connection)
    } catch {
      throw Refusal(error)
    }
    session.onCall = { [weak self] in self?.received($0) }
    session.onSignal = { [weak self] signal in
      guard signal.member == "NameOwnerChanged", let name = signal.arguments().first?.asString
      else { return }
      for handler in self?.handlers.values.map(\.self) ?? [] { handler.left(name) }
    }
    session.start()
  }

  /// Subscribes to the ends of connections to the bus.
  func listen() async throws(Refusal) {
    do throws(BusError) {
      _ = try await session.call(MessageBus.addMatch(MessageBus.ownerChanges() + ",arg2=''"))
    } catch {
      throw Refusal(error)
    }
  }

  /// Receives the events of this application, too.
  func add(_ handler: ScriptedHandler) { handlers[handler.identifier.lowercased()] = handler }

  private func received(_ call: PendingCall) {
    do throws(BusError) {
      try answer(call)
    } catch {
      call.fail(error)
    }
  }

  private func answer(_ call: PendingCall) throws(BusError) {
    let arguments = call.arguments()
    if call.member == DirectorContract.answer.text {
      guard let number = arguments.first?.asUInt32 else { throw .failed("no number") }
      answers.put((Int(number), try decode(Question.Answer.self, arguments.last)))
      return call.succeed()
    }
    guard let identifier = arguments.first?.asString, arguments.count > 1,
      let number = arguments[1].asUInt32, let handler = handlers[identifier.lowercased()]
    else { throw .failed("nobody listens to \(call.member)\(arguments)") }
    switch call.member {
    case DirectorContract.start.text:
      let connection = arguments.last?.asString ?? ""
      let script = handler.started(Int32(number), connection, talking: call.sender)
      call.succeed([.string(DirectorContract.encode(script))])
    case DirectorContract.tell.text:
      handler.heard(try decode(HandlerEvent.self, arguments.last))
      call.succeed()
    case DirectorContract.wait.text: handler.waits(call)
    default: throw .failed("\(call.member) is unknown")
    }
  }

  private func decode<Result: Decodable>(
    _ type: Result.Type, _ value: Value?
  ) throws(BusError) -> Result {
    guard let result = value?.asString.flatMap({ DirectorContract.decode(type, $0) }) else {
      throw .failed("this is no \(type): \(value.map { "\($0)" } ?? "nothing")")
    }
    return result
  }

  /// Sends a question to the program with this connection, and waits for the answer.
  func ask(
    _ question: Question, by asker: Asker, of connection: BusName
  ) async throws -> Question.Answer {
    lastQuestion += 1
    let asking = Asking(number: lastQuestion, question: question, asker: asker)
    do throws(BusError) {
      _ = try await session.call(
        .call(
          to: connection, path: DirectorContract.objectPath,
          interface: DirectorContract.interface, member: DirectorContract.ask,
          [.string(DirectorContract.encode(asking))]))
    } catch {
      throw Refusal(error)
    }
    return try await answers.next("the answer to \(question)") { $0.number == asking.number }
      .answer
  }
}
