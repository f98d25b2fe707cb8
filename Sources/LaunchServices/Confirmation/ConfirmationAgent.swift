internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Events
internal import Glibc

/// A program that asks the user to confirm an open.
///
/// The daemon asks the agent that registered last. Without an agent, `lsopen` asks at its terminal, and a desktop
/// notification asks for every other opener. Registered applications cannot be agents.
@MainActor public final class ConfirmationAgent {
  /// An open that the user has to confirm.
  public struct Question: Hashable, Sendable {
    /// The opener: a bundle identifier, `@web` for a page in a browser, or `@unidentified` for another program.
    public let opener: String
    /// The scheme of the URL, in lower case.
    public let scheme: String
    /// The bundle identifier of the application that would open the URL.
    public let handler: String
    /// The handler's display name.
    public let handlerName: String
    /// Whether a browser opened the URL.
    public let isFromWeb: Bool
    /// The URL, without query and fragment unless the setting `RecordFullURLs` is true.
    public let url: String
    /// A sentence to show.
    public let sentence: String
    /// False when the user is asked each time: `alwaysAllow` and `alwaysDeny` then count once.
    public let mayBeRemembered: Bool
  }

  /// The user's answer to a question.
  public enum Answer: Hashable, Sendable {
    /// The daemon opens the URL, this time.
    case allow
    /// The daemon does not open the URL, this time; the opener gets the error `confirmationDeclined`.
    case deny
    /// As `allow`, and the daemon remembers the answer for the opener, the scheme and the handler.
    case alwaysAllow
    /// As `deny`, and the daemon remembers the answer for the opener, the scheme and the handler.
    case alwaysDeny
  }

  private static let path: ObjectPath = "/org/launchservices/ConfirmationAgent"

  private let session: BusSession
  private let decide: (Question) async -> Answer
  private var asked: [String: Task<Void, Never>] = [:]

  /// Serves until the bus closes the connection, also across restarts of the daemon.
  ///
  /// - Parameter decide: Asks the user. The daemon may withdraw a question; then the task is cancelled and its
  ///   result is ignored.
  /// - Returns: the reason why the agent cannot start: the bus or the daemon is unreachable, or the daemon
  ///   refuses the registration.
  public static func run(_ decide: @escaping (Question) async -> Answer) -> String {
    StandardStreams.writeLinesAtOnce()
    let agent: ConfirmationAgent
    do throws(BusError) {
      agent = try ConfirmationAgent(decide)
    } catch {
      return error.text
    }
    withExtendedLifetime(agent) { MainLoop.run() }
  }

  private init(_ decide: @escaping (Question) async -> Answer) throws(BusError) {
    self.decide = decide
    let connection = try Connection()
    session = BusSession(connection)
    _ = try connection.callAndWait(
      MessageBus.addMatch(MessageBus.ownerChanges(of: Contract.busName)))
    _ = try connection.callAndWait(Contract.registerAgent(Self.path))
    session.onDisconnect = { exit(0) }
    session.onCall = { [weak self] call in self?.answer(call) }
    session.onSignal = { [weak self] signal in
      guard MessageBus.isOwnerChange(signal),
        signal.arguments().last?.asString?.isEmpty == false
      else { return }
      self?.session.call(Contract.registerAgent(Self.path), deadline: nil) { _ in }
    }
    session.start()
  }

  private func answer(_ call: PendingCall) {
    guard call.path == Self.path.text, call.interface == Contract.confirmationAgent.text else {
      return call.fail(.failed("\(call.member) is unknown"))
    }
    switch call.member {
    case "Confirm":
      let options = call.arguments().first?.asOptions ?? [:]
      let id = options[Key.id]?.asString ?? ""
      asked[id] = Task { [weak self] in
        guard let answer = await self?.decide(Question(options)) else { return }
        self?.asked[id] = nil
        call.succeed([.options(answer.options)])
      }
    case "Withdraw":
      asked.removeValue(forKey: call.arguments().first?.asString ?? "")?.cancel()
      call.succeed()
    default: call.fail(.failed("\(call.member) is unknown"))
    }
  }
}

extension ConfirmationAgent.Question {
  fileprivate init(_ options: Options) {
    func text(_ key: String) -> String { options[key]?.asString ?? "" }
    self.init(
      opener: text(Key.opener), scheme: text(Key.scheme), handler: text(Key.handler),
      handlerName: text(Key.handlerName), isFromWeb: text(Key.origin) == "web",
      url: text(Key.url), sentence: text(Key.question),
      mayBeRemembered: options[Key.mayBeRemembered]?.asBoolean ?? true)
  }
}

extension ConfirmationAgent.Answer {
  fileprivate var options: Options {
    [
      Key.allowed: .boolean(self == .allow || self == .alwaysAllow),
      Key.remember: .boolean(self == .alwaysAllow || self == .alwaysDeny),
    ]
  }
}
