package import DBus
package import LaunchRules

/// An application that exports `org.freedesktop.Application` of the Desktop Entry Specification, and
/// the calls it understands.
package struct FreedesktopApplication: Hashable, Sendable {
  /// The well-known name, which equals the identifier.
  package let name: BusName
  /// The identifier with `/` for `.` and `_` for `-`, after a `/`.
  package let path: ObjectPath

  /// Nil for an identifier that is not the name of a connection on the bus, such as `photos`.
  package init?(_ identifier: BundleIdentifier) {
    let path = identifier.text.map { character -> Character in
      switch character {
      case ".": "/"
      case "-": "_"
      default: character
      }
    }
    guard let name = BusName(identifier.text), let object = ObjectPath("/" + String(path)) else {
      return nil
    }
    self.name = name
    self.path = object
  }

  /// - Parameter connection: the unique name of the owner, so that nobody else is started for it.
  package func open(
    _ urls: [String], activationToken: String?, at connection: BusName
  ) -> Message {
    call("Open", [.strings(urls), platformData(activationToken)], at: connection)
  }

  /// It was opened without anything to open.
  package func activate(activationToken: String?, at connection: BusName) -> Message {
    call("Activate", [platformData(activationToken)], at: connection)
  }

  /// The action is told nothing but its name.
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

  /// Newer applications read the first key, older ones the second.
  private func platformData(_ activationToken: String?) -> Value {
    guard let activationToken else { return .options([:]) }
    return .options([
      "activation-token": .string(activationToken),
      "desktop-startup-id": .string(activationToken),
    ])
  }
}

/// What the daemon asks of the bus itself.
package enum Bus {
  private static let name: BusName = "org.freedesktop.DBus"

  package static func nameOwner(_ owned: BusName) -> Message {
    ask("GetNameOwner", [.string(owned.text)])
  }

  /// Starts what a `.service` file of the bus says; `ServiceUnknown` when there is none.
  package static func startService(_ activatable: BusName) -> Message {
    ask("StartServiceByName", [.string(activatable.text), .uint32(0)])
  }

  package static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"

  /// Nobody knows whether the service comes after all.
  package static func mayStillStart(_ error: BusError) -> Bool {
    ["TimedOut", "NoReply", "Timeout", "Disconnected"].contains {
      error.name.text == "org.freedesktop.DBus.Error.\($0)"
    }
  }

  /// Tells every change of the owner of a name, without an answer.
  package static func watch(_ owned: BusName, _ isWatched: Bool) -> Message {
    let rule =
      "type='signal',sender='\(name)',interface='\(name)',member='NameOwnerChanged',arg0='\(owned)'"
    return .call(
      to: name, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: isWatched ? "AddMatch" : "RemoveMatch", [.string(rule)], expectsReply: false)
  }

  private static func ask(_ member: MemberName, _ arguments: [Value]) -> Message {
    .call(
      to: name, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
      arguments)
  }
}
