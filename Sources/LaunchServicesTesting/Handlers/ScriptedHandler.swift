internal import DBus

/// An installed application whose program performs a script, and reports its events.
@MainActor public final class ScriptedHandler {
  /// The bundle identifier of the application.
  public nonisolated let identifier: String
  /// The path of its bundle, or of its loose property list.
  public nonisolated let path: String
  /// The script of processes that start after it is set.
  public var script: HandlerScript
  /// Whether programs wait at their steps `wait`. While it is false, all programs continue
  /// immediately.
  public var isPausing = true {
    didSet {
      guard !isPausing else { return }
      for pause in pauses.contents { pause.call.succeed() }
      pauses.removeAll { _ in true }
    }
  }
  /// The processes that have started, oldest first.
  public private(set) var pids: [Int32] = []
  private let director: Director
  private let events = Inbox<HandlerEvent>()
  private let pauses = Inbox<Pause>()
  private let departures = Inbox<Int32>()
  /// The program's connection to the director.
  private var talking: BusName?
  /// The processes, by the connection with which they check in.
  private var checkingIn: [String: Int32] = [:]

  init(_ identifier: String, _ script: HandlerScript, at path: String, _ director: Director) {
    self.identifier = identifier
    self.script = script
    self.path = path
    self.director = director
  }

  func started(_ pid: Int32, _ connection: String, talking: String) -> HandlerScript {
    pids.append(pid)
    checkingIn[connection] = pid
    self.talking = BusName(talking)
    // The steps `wait` of an earlier process cannot be continued.
    pauses.removeAll { _ in true }
    events.put(.started)
    return script
  }

  func heard(_ event: HandlerEvent) { events.put(event) }

  func waits(_ call: PendingCall) {
    if isPausing { pauses.put(Pause(call)) } else { call.succeed() }
  }

  func left(_ connection: String) {
    if let pid = checkingIn.removeValue(forKey: connection) { departures.put(pid) }
  }
}

/// A program that waits at a step: it continues when the call is answered.
@MainActor private final class Pause {
  let call: PendingCall
  init(_ call: PendingCall) { self.call = call }
}

// MARK: - For tests

extension ScriptedHandler {
  /// Waits for the next event that was not returned yet.
  public func next() async throws -> HandlerEvent {
    try await events.next("an event of \(identifier)")
  }

  /// Waits for an event, and discards the events before it.
  public func next(_ wanted: HandlerEvent) async throws {
    while try await next() != wanted {}
  }

  /// Returns all received events that were not returned yet.
  public func heard() -> [HandlerEvent] {
    defer { events.removeAll { _ in true } }
    return events.contents
  }

  /// Waits until the program is at its next step `wait`.
  public func isWaiting() async throws {
    pauses.put(try await pauses.next("step 'wait' of \(identifier)"))
  }

  /// Waits until the program is at its step `wait`, and lets it continue.
  public func go() async throws {
    try await pauses.next("step 'wait' of \(identifier)").call.succeed()
  }

  /// Waits until the process has left the bus, and all clients of the bus were informed.
  /// - Parameter pid: The PID of the process; nil for the process that started last.
  public func hasLeftTheBus(_ pid: Int32? = nil) async throws {
    let wanted = pid ?? pids.last
    _ = try await departures.next("the departure of \(identifier) from the bus") { $0 == wanted }
  }

  /// Makes the program query whether a URL can be opened.
  public func canOpen(
    _ url: String, as other: String? = nil, by asker: Asker = .itself
  ) async throws -> Bool {
    switch try await ask(.canOpen(url, as: other), by: asker) {
    case .canOpen(let answer): return answer
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(identifier) answered \(answer)")
    }
  }

  /// Makes the program open a URL.
  /// - Parameters:
  ///   - url: The URL.
  ///   - other: The application as which the caller is judged; nil for the caller itself.
  ///   - input: The path of a file for the standard input of a new process; nil for none.
  ///   - requestID: The request identifier, so that a repeated open returns the first receipt; nil for none.
  ///   - application: The bundle identifier of a designated application; nil for the handler of the URL.
  ///   - asker: The connection or process that opens.
  public func open(
    _ url: String, as other: String? = nil, input: String? = nil, requestID: String? = nil,
    with application: String? = nil, by asker: Asker = .itself
  ) async throws -> Receipt {
    let question = Question.open(
      url, as: other, input: input, requestID: requestID, application: application)
    switch try await ask(question, by: asker) {
    case .receipt(let receipt): return receipt
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(identifier) answered \(answer)")
    }
  }

  /// Makes the program query the URLs of recent requests.
  public func history(by asker: Asker = .itself) async throws -> [String] {
    try await texts(.history, by: asker)
  }

  /// Makes the program query the identifiers of all applications.
  public func applications(by asker: Asker = .itself) async throws -> [String] {
    try await texts(.applications, by: asker)
  }

  package func texts(_ question: Question, by asker: Asker = .itself) async throws -> [String] {
    switch try await ask(question, by: asker) {
    case .texts(let texts): return texts
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(identifier) answered \(answer)")
    }
  }

  /// Makes the program query an explanation.
  public func explain(_ url: String, by asker: Asker = .itself) async throws -> Explanation {
    switch try await ask(.explain(url), by: asker) {
    case .explanation(let explanation): return explanation
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(identifier) answered \(answer)")
    }
  }

  /// Makes the program set its dynamic quick actions.
  public func setShortcutItems(
    _ items: [TestShortcutItem], by asker: Asker = .itself
  ) async throws {
    switch try await ask(.setShortcutItems(items), by: asker) {
    case .done: return
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(identifier) answered \(answer)")
    }
  }

  /// Makes the program check in with a token or identifier that may be false.
  /// - Parameters:
  ///   - token: The token to check in with; nil for none.
  ///   - identifier: The bundle identifier to check in with; nil for none.
  ///   - owning: Whether the program takes the bus name of the identifier first.
  ///   - asker: The connection or process that checks in.
  public func checkIn(
    token: String? = nil, identifier: String? = nil, owning: Bool = false, by asker: Asker
  ) async throws {
    let question = Question.checkIn(token: token, identifier: identifier, owning: owning)
    switch try await ask(question, by: asker) {
    case .done: return
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(self.identifier) answered \(answer)")
    }
  }

  /// Makes the program send the call, which must succeed.
  package func require(_ question: Question, by asker: Asker = .itself) async throws {
    switch try await ask(question, by: asker) {
    case .done: break
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(identifier) answered \(answer)")
    }
  }

  /// Makes the program send the call; nil when the call succeeds.
  package func refusal(
    of question: Question, by asker: Asker = .itself
  ) async throws -> Refusal? {
    guard case .refused(let refusal) = try await ask(question, by: asker) else { return nil }
    return refusal
  }

  private func ask(_ question: Question, by asker: Asker) async throws -> Question.Answer {
    guard let talking else { throw TestbedFailure("\(identifier) has not started") }
    return try await director.ask(question, by: asker, of: talking)
  }
}
