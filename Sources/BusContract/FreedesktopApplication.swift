package import DBus
package import LaunchRules

/// An application that exports `org.freedesktop.Application` of the Desktop Entry Specification, and the
/// calls of that interface.
package struct FreedesktopApplication: Hashable, Sendable {
  /// The well-known name, which equals the identifier.
  package let name: BusName
  /// The identifier with `/` for `.` and `_` for `-`, after a `/`.
  package let path: ObjectPath

  /// Nil for an identifier that is not a valid well-known name, such as `photos`.
  package init?(_ identifier: BundleIdentifier) {
    guard let name = BusName(identifier.text) else { return nil }
    self.init(name)
  }

  /// Nil for a name without an object path, such as `org.example.1-`.
  package init?(_ name: BusName) {
    let path = name.text.map { $0 == "." ? "/" : $0 == "-" ? "_" : $0 }
    guard let object = ObjectPath("/" + String(path)) else { return nil }
    self.name = name
    self.path = object
  }

  /// - Parameter connection: the unique name of the owner, so that the bus starts no other process for the
  ///   call; or the well-known name.
  package func open(
    _ urls: [String], activationToken: String?, at connection: BusName
  ) -> Message {
    call("Open", [.strings(urls), platformData(activationToken)], at: connection)
  }

  /// The call for an open without URLs.
  package func activate(activationToken: String?, at connection: BusName) -> Message {
    call("Activate", [platformData(activationToken)], at: connection)
  }

  /// The call for a quick action; its only argument is the name.
  package func activateAction(
    _ name: String, activationToken: String?, at connection: BusName
  ) -> Message {
    call(
      "ActivateAction", [.string(name), .array(of: "v", []), platformData(activationToken)],
      at: connection)
  }

  private func call(_ member: MemberName, _ arguments: [Value], at connection: BusName) -> Message {
    .call(
      to: connection, path: path, interface: Contract.freedesktopApplication, member: member,
      arguments)
  }

  /// Newer applications read the first key, older applications the second.
  private func platformData(_ activationToken: String?) -> Value {
    guard let activationToken else { return .options([:]) }
    return .options([
      "activation-token": .string(activationToken),
      "desktop-startup-id": .string(activationToken),
    ])
  }
}
