package import DBus
internal import DBusMainLoop

/// A notification service of a desktop, controlled by a test.
@MainActor package final class TestNotifications {
  package struct Notice: Hashable, Sendable {
    package var summary: String
    package var body: String
    package var actions: [String]

    package init(summary: String, body: String, actions: [String]) {
      self.summary = summary
      self.body = body
      self.actions = actions
    }
  }

  private var session: BusSession?
  private let notices = Inbox<Notice>()
  private let closed = Inbox<UInt32>()
  private var last: UInt32 = 0

  private static let name: BusName = "org.freedesktop.Notifications"
  private static let path: ObjectPath = "/org/freedesktop/Notifications"

  package init(address: String, capabilities: [String] = ["actions", "body"]) throws {
    let session = BusSession(try Connection(address: address))
    self.session = session
    session.onCall = { [weak self] call in
      guard let self else { return }
      let arguments = call.arguments()
      switch call.member {
      case "GetCapabilities": call.succeed([.strings(capabilities)])
      case "Notify":
        last += 1
        call.succeed([.uint32(last)])
        notices.put(
          Notice(
            summary: arguments[3].asString ?? "", body: arguments[4].asString ?? "",
            actions: arguments[5].asStrings ?? []))
      case "CloseNotification":
        closed.put(arguments.first?.asUInt32 ?? 0)
        call.succeed()
      default: call.fail(.failed("\(call.member) is unknown"))
      }
    }
    guard try session.requestName(Self.name) == .owned else {
      throw TestbedFailure("\(Self.name) is taken")
    }
    session.start()
  }

  package func leave() { session = nil }
  package func isShown() async throws -> Notice { try await notices.next("a notification") }
  package func isClosed() async throws { _ = try await closed.next("the end of the notification") }

  /// Presses a button of the last notification, or closes it.
  package func press(_ action: String?) {
    session?.send(Self.signal(last, action))
  }

  /// A signal that any client of the bus could send.
  package static func signal(_ number: UInt32, _ action: String?, to name: BusName? = nil)
    -> Message
  {
    .signal(
      path: path, interface: "org.freedesktop.Notifications",
      member: action == nil ? "NotificationClosed" : "ActionInvoked",
      [.uint32(number), action.map(Value.string) ?? .uint32(2)], to: name)
  }
}
