internal import DBus

/// An installed application whose program does as it was told, and tells what it sees.
@MainActor public final class ScriptedHandler {
  public nonisolated let identifier: String
  /// Of its bundle, or of its property list when that is loose.
  public nonisolated let path: String
  /// The processes that have started, oldest first.
  public private(set) var pids: [Int32] = []
  private let director: Director
  private let events = Inbox<HandlerEvent>()
  private let waiting = Inbox<Pause>()
  private var connection: BusName?

  init(_ identifier: String, at path: String, _ director: Director) {
    self.identifier = identifier
    self.path = path
    self.director = director
  }

  func heard(_ event: HandlerEvent, from connection: String, _ pid: Int32) {
    if event == .started {
      pids.append(pid)
      self.connection = BusName(connection)
      // What an earlier process waited for cannot come any more.
      waiting.removeAll { _ in true }
    }
    events.put(event)
  }

  func waits(_ call: PendingCall, _ pid: Int32) { waiting.put(Pause(call)) }
}

/// A program that waits at a step: it goes on when the call is answered.
@MainActor private final class Pause {
  let call: PendingCall
  init(_ call: PendingCall) { self.call = call }
}

// MARK: - For tests

extension ScriptedHandler {
  /// Waits for the next event that was not taken yet.
  public func next() async throws -> HandlerEvent {
    try await events.next("an event of \(identifier)")
  }

  /// Waits for an event, passing over those before it.
  public func next(_ wanted: HandlerEvent) async throws {
    while try await next() != wanted {}
  }

  /// Takes all events that have been heard and not been taken.
  public func heard() -> [HandlerEvent] {
    defer { events.removeAll { _ in true } }
    return events.contents
  }

  /// Waits until the program is at its next step `wait`.
  public func isWaiting() async throws {
    waiting.put(try await waiting.next("step 'wait' of \(identifier)"))
  }

  /// Lets the program go on from its step `wait`; waits for it to get there.
  public func go() async throws {
    try await waiting.next("step 'wait' of \(identifier)").call.succeed()
  }

  /// Makes the program ask whether a URL can be opened.
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
  public func open(
    _ url: String, as other: String? = nil, by asker: Asker = .itself
  ) async throws -> Receipt {
    switch try await ask(.open(url, as: other), by: asker) {
    case .receipt(let receipt): return receipt
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(identifier) answered \(answer)")
    }
  }

  /// Makes the program ask for an explanation.
  public func explain(_ url: String, by asker: Asker = .itself) async throws -> Explanation {
    switch try await ask(.explain(url), by: asker) {
    case .explanation(let explanation): return explanation
    case .refused(let refusal): throw refusal
    case let answer: throw TestbedFailure("\(identifier) answered \(answer)")
    }
  }

  private func ask(_ question: Question, by asker: Asker) async throws -> Question.Answer {
    guard let connection else { throw TestbedFailure("\(identifier) has not started") }
    return try await director.ask(question, by: asker, of: connection)
  }
}
