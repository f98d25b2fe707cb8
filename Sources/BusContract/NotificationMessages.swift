package import DBus

/// The calls to the notification service of the desktop (Desktop Notifications Specification of freedesktop.org).
package enum NotificationMessages {
  package static let service: BusName = "org.freedesktop.Notifications"
  package static let path: ObjectPath = "/org/freedesktop/Notifications"
  package static let interface: InterfaceName = "org.freedesktop.Notifications"

  /// - Parameters:
  ///   - destination: the service, or the connection that owns its name.
  ///   - body: plain text.
  ///   - actions: pairs of an identifier and a label.
  ///   - urgency: 0 low, 1 normal, 2 critical.
  ///   - timeout: in milliseconds; 0 for no end, -1 for the choice of the service.
  package static func notify(
    to destination: BusName, _ summary: String, _ body: String, actions: [String] = [],
    urgency: UInt8 = 1, timeout: Int32 = -1
  ) -> Message {
    .call(
      to: destination, path: path, interface: interface, member: "Notify",
      [
        .string("Launch Services"), .uint32(0), .string(""), .string(summary),
        .string(escaped(body)), .strings(actions), .options(["urgency": .byte(urgency)]),
        .int32(timeout),
      ])
  }

  /// Escapes text for the body of a notification, which is markup.
  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
