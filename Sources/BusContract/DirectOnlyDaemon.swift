package import DBus

/// A daemon that works without a bus, although the session has one. Commands and the library for applications find it by
/// this rule.
package enum DirectOnlyDaemon {
  /// Whether nobody on the bus is the daemon, and the bus cannot start it, so that there may be such a daemon. When the
  /// start of a daemon fails or takes long, the bus is its place all the same.
  /// - Parameter error: of a call on the bus that the bus would start the daemon for.
  package static func mayAnswer(instead error: BusError) -> Bool {
    // `NameHasNoOwner` does not say that the bus cannot start the daemon: dbus-broker returns it after a failed start.
    error.name == .serviceUnknown
  }

  /// Connects to the process that uses the state folder of the user. Nobody on the bus owns the name of the daemon, so the
  /// lock of the folder says which process is the daemon. Nil when nobody has the lock, or the process does not listen at
  /// a socket of the daemon.
  /// - Parameter environment: the value of a variable; nil when it is missing or empty.
  /// - Throws: AccessDenied with the reason when the process does not run the program of the daemon.
  package static func connection(
    _ environment: (String) -> String?, _ patience: HandshakePatience
  ) throws(BusError) -> Connection? {
    guard let folder = StateFolder(environment: environment), let daemon = folder.ownerProcess
    else { return nil }
    let program = DaemonProgram(environment: environment)
    guard program.isRun(by: daemon) else {
      throw BusError(
        .accessDenied,
        program.objection(to: daemon, which: "has locked the state folder \(folder.path)"))
    }
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
