/// The object that the message bus itself has on every bus (D-Bus specification, "Message Bus Messages").
package enum MessageBus {
  package static let name: BusName = "org.freedesktop.DBus"

  package static func call(
    _ member: MemberName, _ arguments: [Value], expectsReply: Bool = true
  ) -> Message {
    .call(
      to: name, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: member,
      arguments, expectsReply: expectsReply)
  }
}

// MARK: - Connections

extension MessageBus {
  /// Asks for the process, the user and the groups behind a connection.
  package static func credentials(of connection: String) -> Message {
    call("GetConnectionCredentials", [.string(connection)])
  }

  /// Asks for the number of the process that owns the name.
  package static func processNumber(of owned: BusName) -> Message {
    call("GetConnectionUnixProcessID", [.string(owned.text)])
  }
}

// MARK: - Names

extension MessageBus {
  package static func nameOwner(_ owned: BusName) -> Message {
    call("GetNameOwner", [.string(owned.text)])
  }

  /// Whether the name has an owner.
  package static func hasOwner(_ name: String) -> Message {
    call("NameHasOwner", [.string(name)])
  }

  /// Starts the program that a `.service` file of the bus names; `ServiceUnknown` without such a file.
  package static func startService(_ activatable: BusName) -> Message {
    call("StartServiceByName", [.string(activatable.text), .uint32(0)])
  }

  /// Whether a service may still start although `StartServiceByName` failed with this error.
  package static func mayStillStart(_ error: BusError) -> Bool {
    [.timedOut, .noReply, .timeout, .disconnected].contains(error.name)
  }
}

// MARK: - Match rules

extension MessageBus {
  /// Matches the signal `NameOwnerChanged`: of one name, or of all names and connections.
  package static func ownerChanges(of owned: BusName? = nil) -> String {
    "type='signal',sender='\(name)',interface='\(name)',member='NameOwnerChanged'"
      + (owned.map { ",arg0='\($0)'" } ?? "")
  }

  package static func isOwnerChange(_ signal: borrowing Message) -> Bool {
    signal.sender == name.text && signal.member == "NameOwnerChanged"
  }

  /// Adds a match rule; the reply confirms that the bus applies the rule.
  package static func addMatch(_ rule: String) -> Message { call("AddMatch", [.string(rule)]) }

  /// Adds or removes a match rule without a reply.
  package static func match(_ rule: String, _ isWanted: Bool) -> Message {
    call(isWanted ? "AddMatch" : "RemoveMatch", [.string(rule)], expectsReply: false)
  }

  /// Adds or removes the match rule for owner changes of a name, without a reply.
  package static func watch(_ owned: BusName, _ isWanted: Bool) -> Message {
    match(ownerChanges(of: owned), isWanted)
  }
}
