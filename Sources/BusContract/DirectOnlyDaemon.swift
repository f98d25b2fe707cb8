package import DBus

/// A daemon that works without a bus, although the session has one. Commands and the library for applications find it by
/// this rule.
package enum DirectOnlyDaemon {
  /// Whether nobody on the bus is the daemon, so that there may be such a daemon.
  /// - Parameter error: of a call on the bus.
  package static func mayAnswer(instead error: BusError) -> Bool {
    ReconnectPolicy.isAbsence(error)
  }

  /// Connects to the process that uses the state folder of the user. Nobody on the bus owns the name of the daemon, so the
  /// lock of the folder says which process is the daemon. Nil when that process does not listen at a socket of the
  /// daemon.
  /// - Parameter environment: the value of a variable; nil when it is missing or empty.
  package static func connection(
    _ environment: (String) -> String?, _ patience: HandshakePatience
  ) throws(BusError) -> Connection? {
    guard let daemon = StateFolder(environment: environment)?.ownerProcess else { return nil }
    // The daemon may have been started without the address of the bus.
    let withoutAddress = { (name: String) in
      name == "DBUS_SESSION_BUS_ADDRESS" ? nil : environment(name)
    }
    for path in [DirectSocket.path(environment), DirectSocket.path(withoutAddress)] {
      // Only the daemon is waited for.
      guard let path, listeningProcess(at: path) == daemon else { continue }
      let connection = try Connection(socket: path, patience)
      if connection.peerProcess == daemon { return connection }
    }
    return nil
  }
}
