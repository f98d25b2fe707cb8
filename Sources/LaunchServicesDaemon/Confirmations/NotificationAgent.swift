internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules

/// Asks the user by desktop notifications.
final class NotificationAgent {
  typealias Completion = (ConfirmationQueue.Event) -> Void

  private struct Notice {
    let completion: Completion
    let offered: [Action]
    /// The connection that shows the notification, and its number; nil until it is shown.
    var shown: (server: String, number: UInt32)?
    var deadline: Deadline?
  }

  private let session: BusSession
  private var notices: [RequestID: Notice] = [:]
  private var isListening = false

  static let server = NotificationMessages.service
  /// Timeout for the desktop to show a notification.
  private static let patience = Duration.seconds(10)

  /// Whether the owner of the notification service may answer for the user: a registered application may not.
  var mayAnswer: (_ owner: String) async -> Bool = { _ in false }

  init(_ session: BusSession) { self.session = session }

  /// Shows the question; `completion` is called once, unless the question is withdrawn.
  func ask(
    _ id: RequestID, _ question: ConfirmationQuestion, seconds: Int,
    completion: @escaping Completion
  ) {
    notices[id] = Notice(
      completion: completion,
      offered: Action.allCases.filter { $0 != .always || question.mayBeRemembered })
    Task { [weak self] in
      do throws(BusError) {
        try await self?.show(id, question, seconds)
      } catch {
        self?.settle(id, .unavailable("no desktop notification: \(error.text)"))
      }
    }
  }

  func withdraw(_ id: RequestID) {
    guard let shown = notices.removeValue(forKey: id)?.shown else { return }
    close(shown)
  }

  /// Shows a sentence if the desktop supports notifications. Returns immediately.
  func tell(_ summary: String, _ sentence: String) {
    Task {
      guard let server = try? await owner() else { return }
      session.call(
        NotificationMessages.notify(to: server, summary, sentence), deadline: Self.patience
      ) { _ in }
    }
  }

  /// Handles a signal of the notification interface. Ignores signals of connections other than the one that shows the
  /// notification.
  func received(_ signal: borrowing Message) {
    let arguments = signal.arguments()
    guard let sender = signal.sender, let number = arguments.first?.asUInt32,
      let id = notices.first(where: { $0.value.shown.map { $0 == (sender, number) } == true })?.key
    else { return }
    switch signal.member {
    case "ActionInvoked":
      let action = arguments.last?.asString.flatMap(Action.init) ?? .deny
      let isOffered = notices[id]?.offered.contains(action) == true
      withdrawAfter(id, isOffered ? action.event : Action.deny.event)
    case "NotificationClosed": settle(id, Action.deny.event)
    default: break
    }
  }

  /// Withdraws the notifications of a connection that has left the bus.
  func left(_ connection: String) {
    for id in notices.filter({ $0.value.shown?.server == connection }).keys {
      settle(id, .unavailable("the notification service has left the bus"))
    }
  }

  private enum Action: String, CaseIterable {
    case allow, always, deny

    var label: String {
      switch self {
      case .allow: "Open"
      case .always: "Always open"
      case .deny: "Cancel"
      }
    }

    var event: ConfirmationQueue.Event {
      .answered(isAllowed: self != .deny, isRemembered: self == .always)
    }
  }

  private func show(
    _ id: RequestID, _ question: ConfirmationQuestion, _ seconds: Int
  ) async throws(BusError) {
    try await listen()
    let server = try await owner()
    guard await mayAnswer(server.text) else {
      throw .failed(
        "the owner of org.freedesktop.Notifications is a registered application, or not a process of this user"
      )
    }
    let capabilities = try await session.call(call(to: server, "GetCapabilities", []))
    guard capabilities.first?.asStrings?.contains("actions") == true else {
      throw .failed("the notification service of this desktop does not support buttons")
    }
    // The call is asynchronous with a callback, not awaited, so that a button pressed at once finds the entry
    // in `notices`.
    session.call(
      NotificationMessages.notify(
        to: server, question.question, question.url,
        actions: (notices[id]?.offered ?? []).flatMap { [$0.rawValue, $0.label] }, urgency: 2,
        timeout: 0),
      deadline: Self.patience
    ) { [weak self] answer in self?.shown(id, server, answer, seconds) }
  }

  /// - Parameter timeout: in milliseconds; 0 for no timeout, −1 for the default of the desktop.
  private func shown(
    _ id: RequestID, _ server: BusName, _ answer: Result<[Value], BusError>, _ seconds: Int
  ) {
    guard let number = (try? answer.get())?.first?.asUInt32 else {
      let why =
        if case .failure(let error) = answer { error.text } else { "the reply has no number" }
      return settle(id, .unavailable("no desktop notification: \(why)"))
    }
    guard notices[id] != nil else { return close((server.text, number)) }  // withdrawn meanwhile
    notices[id]?.shown = (server.text, number)
    notices[id]?.deadline = Deadline(after: .seconds(seconds)) { [weak self] in
      self?.withdrawAfter(id, .timedOut(seconds: seconds))
    }
  }

  private func settle(_ id: RequestID, _ event: ConfirmationQueue.Event) {
    notices.removeValue(forKey: id)?.completion(event)
  }

  private func withdrawAfter(_ id: RequestID, _ event: ConfirmationQueue.Event) {
    guard let notice = notices.removeValue(forKey: id) else { return }
    if let shown = notice.shown { close(shown) }
    notice.completion(event)
  }

  private func listen() async throws(BusError) {
    guard !isListening else { return }
    isListening = true
    _ = try await session.call(
      MessageBus.call(
        "AddMatch",
        [
          .string(
            "type='signal',sender='\(Self.server)',interface='\(NotificationMessages.interface)'")
        ]))
  }

  /// The connection that shows notifications. Asks the bus to start the notification service if necessary.
  private func owner() async throws(BusError) -> BusName {
    _ = try? await session.call(
      MessageBus.startService(Self.server), deadline: Self.patience)
    let owner = try await session.call(MessageBus.nameOwner(Self.server))
    guard let name = owner.first?.asString.flatMap(BusName.init) else {
      throw .failed("no notification service is running")
    }
    return name
  }

  private func close(_ shown: (server: String, number: UInt32)) {
    guard let server = BusName(shown.server) else { return }
    session.send(
      call(to: server, "CloseNotification", [.uint32(shown.number)], expectsReply: false))
  }

  private func call(
    to server: BusName, _ member: MemberName, _ arguments: [Value], expectsReply: Bool = true
  ) -> Message {
    .call(
      to: server, path: NotificationMessages.path, interface: NotificationMessages.interface,
      member: member, arguments,
      expectsReply: expectsReply)
  }
}
