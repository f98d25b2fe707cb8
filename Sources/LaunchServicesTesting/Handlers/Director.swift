internal import DBus

/// Hears what the programs of all applications of a testbed tell.
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
    session.start()
  }

  /// Hears for the application from now on.
  func add(_ handler: ScriptedHandler) { handlers[handler.identifier.lowercased()] = handler }

  private func received(_ call: PendingCall) {
    let arguments = call.arguments()
    switch call.member {
    case DirectorContract.answer.text:
      if let number = arguments.first?.asUInt32,
        let answer = arguments.last?.asString.flatMap({
          DirectorContract.decode(Question.Answer.self, $0)
        })
      {
        answers.put((Int(number), answer))
      }
      call.succeed()
    case DirectorContract.tell.text, DirectorContract.wait.text:
      guard let identifier = arguments.first?.asString, arguments.count > 1,
        let pid = arguments[1].asUInt32, let handler = handlers[identifier.lowercased()]
      else { return call.fail(.failed("nobody listens to \(arguments)")) }
      if call.member == DirectorContract.wait.text { return handler.waits(call, Int32(pid)) }
      guard
        let event = arguments.last?.asString.flatMap({
          DirectorContract.decode(HandlerEvent.self, $0)
        })
      else { return call.fail(.failed("this is no event: \(arguments)")) }
      handler.heard(event, from: call.sender, Int32(pid))
      call.succeed()
    default: call.fail(.failed("\(call.member) is unknown"))
    }
  }

  /// Asks the program that is connected as `connection`, and waits for what comes of it.
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
