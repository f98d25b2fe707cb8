internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Events
internal import Glibc

/// A program that asks the user whether an open may go on.
///
/// The agent that registered last is asked; while there is none, `lsopen` asks at its terminal, and
/// a notification of the desktop asks for everybody else. Registered applications cannot be agents.
@MainActor public final class ConfirmationAgent {
  /// What the user is asked.
  public struct Question: Hashable, Sendable {
    /// A bundle identifier; `@web` for a page in a browser, `@unidentified` for another program.
    public let opener: String
    /// In lower case.
    public let scheme: String
    /// The bundle identifier of the application that would get the URL.
    public let handler: String
    /// Its name for people.
    public let handlerName: String
    /// Whether it comes through a browser.
    public let isFromWeb: Bool
    /// Without query and fragment, unless the setting `RecordFullURLs` says otherwise.
    public let url: String
    /// A sentence to show.
    public let sentence: String
  }

  public enum Answer: Hashable, Sendable {
    case allow, deny
    /// The same as above, and from now on without asking.
    case alwaysAllow, alwaysDeny
  }

  private static let path: ObjectPath = "/org/launchservices/ConfirmationAgent"
  private static let changes =
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
    + "member='NameOwnerChanged',arg0='\(Contract.busName)'"

  private let session: BusSession
  private let decide: (Question) async -> Answer
  private var asked: [String: Task<Void, Never>] = [:]

  /// Serves until the bus goes away, also across restarts of the daemon.
  ///
  /// - Parameter decide: asks the user. Its task is cancelled when the question needs no answer any
  ///   more; what it returns then does not count.
  /// - Returns: only when the bus or the daemon cannot be reached, or the daemon refuses: why.
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
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: "AddMatch", [.string(Self.changes)]))
    _ = try connection.callAndWait(Contract.registerAgent(Self.path))
    session.onDisconnect = { exit(0) }
    session.onCall = { [weak self] call in self?.answer(call) }
    session.onSignal = { [weak self] signal in
      guard signal.sender == "org.freedesktop.DBus", signal.member == "NameOwnerChanged",
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
      url: text(Key.url), sentence: text(Key.question))
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
