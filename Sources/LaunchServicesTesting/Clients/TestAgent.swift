internal import BusContract
internal import DBus
internal import DBusMainLoop

/// A confirmation agent of a test: it receives questions, and the test answers them.
@MainActor public final class TestAgent {
  /// A question to the user.
  public struct Question: Hashable, Sendable {
    /// The opener: a bundle identifier, `@web` or `@unidentified`.
    public var opener: String
    /// The scheme of the URL, in lower case.
    public var scheme: String
    /// The bundle identifier of the application that would open the URL.
    public var handler: String
    /// The origin of the URL: `web` or `application`.
    public var origin: String
    /// The URL, without query and fragment.
    public var url: String
    /// The sentence to show to the user.
    public var sentence: String

    /// Creates a question, to compare with one that the agent received.
    public init(
      opener: String, scheme: String, handler: String, origin: String, url: String, sentence: String
    ) {
      self.opener = opener
      self.scheme = scheme
      self.handler = handler
      self.origin = origin
      self.url = url
      self.sentence = sentence
    }
  }

  private var session: BusSession?
  private let questions = Inbox<(question: Question, id: String)>()
  private let withdrawals = Inbox<String>()
  private var calls: [PendingCall] = []
  private var ids: [String] = []

  private static let path: ObjectPath = "/org/example/Agent"

  init(address: String) throws(Refusal) {
    do throws(BusError) {
      let session = BusSession(try Connection(address: address))
      self.session = session
    } catch {
      throw Refusal(error)
    }
    session?.onCall = { [weak self] call in self?.received(call) }
    session?.start()
  }

  func register() async throws(Refusal) {
    do throws(BusError) {
      _ = try await session?.call(Contract.registerAgent(Self.path))
    } catch {
      throw Refusal(error)
    }
  }

  /// Waits for the next question.
  public func isAsked() async throws -> Question {
    let next = try await questions.next("a question to the user")
    ids.append(next.id)
    return next.question
  }

  /// Answers the oldest question.
  public func answer(_ isAllowed: Bool, remember: Bool = false) {
    guard !calls.isEmpty else { return }
    ids.removeFirst()
    calls.removeFirst().succeed([
      .options([Key.allowed: .boolean(isAllowed), Key.remember: .boolean(remember)])
    ])
  }

  /// Waits until the daemon withdraws the latest question.
  public func isWithdrawn() async throws {
    let id = ids.last
    _ = try await withdrawals.next("the withdrawal of the question") { $0 == id }
  }

  /// Leaves the bus.
  public func leave() {
    calls = []
    session = nil
  }

  private func received(_ call: PendingCall) {
    let argument = call.arguments().first
    if call.member == "Withdraw" {
      withdrawals.put(argument?.asString ?? "")
      return call.succeed()
    }
    let options = argument?.asOptions ?? [:]
    func text(_ key: String) -> String { options[key]?.asString ?? "" }
    calls.append(call)
    questions.put(
      (
        Question(
          opener: text(Key.opener), scheme: text(Key.scheme), handler: text(Key.handler),
          origin: text(Key.origin), url: text(Key.url), sentence: text(Key.question)),
        text(Key.id)
      ))
  }
}

extension Testbed {
  /// Registers a confirmation agent with the daemon.
  public func confirmationAgent() async throws -> TestAgent {
    let agent = try TestAgent(address: environment["DBUS_SESSION_BUS_ADDRESS"] ?? "")
    try await agent.register()
    return agent
  }
}
