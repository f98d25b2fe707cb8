package import DBus
internal import LaunchRules

/// The socket at which a daemon accepts direct connections without a bus.
package struct DirectSocket {
  package let path: String
  /// The address of the bus of that daemon; nil if it has no bus.
  package let bus: String?
  /// By which a daemon is recognised where no bus runs; nil when the path comes from the daemon itself.
  private let program: DaemonProgram?

  package init(path: String, ofBus bus: String?) {
    self.path = path
    self.bus = bus
    program = nil
  }

  /// The socket of the daemon on the session bus; nil when the environment does not determine it.
  ///
  /// Each session bus has its own socket in `$XDG_RUNTIME_DIR/launch-services`, so that clients of one bus do
  /// not connect to the daemon of another.
  /// - Parameter environment: the value of a variable; nil when it is missing or empty.
  package init?(_ environment: (String) -> String?) {
    guard var folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    let bus = environment("DBUS_SESSION_BUS_ADDRESS") ?? "unix:path=\(folder)/bus"
    self.bus = bus
    path = "\(folder)/launch-services/\(Self.name(ofBus: bus))"
    program = DaemonProgram(environment: environment)
  }

  /// The socket of the daemon that started this process as a handler, and that has no bus; nil for other processes.
  package static func ofHandler(_ environment: (String) -> String?) -> DirectSocket? {
    environment(Contract.socketVariable).map { DirectSocket(path: $0, ofBus: nil) }
  }

  /// The path of the socket of the daemon on the session bus; nil when the environment does not determine it.
  package static func path(_ environment: (String) -> String?) -> String? {
    DirectSocket(environment)?.path
  }

  /// Connects to the daemon; nil when it accepts no connection, or when another process listens at the
  /// socket: any process of the user can replace the socket, so the bus is queried for the daemon's process.
  /// Where no bus runs, the process must run the program of the daemon.
  package func connection() -> Connection? {
    try? connection(HandshakePatience(limit: .seconds(1)))
  }

  /// Like `connection()`, with another patience.
  /// - Throws: AccessDenied with the reason when no bus runs and the process does not run the program of the daemon.
  package func connection(_ patience: HandshakePatience) throws(BusError) -> Connection {
    guard let bus else { return try Connection(socket: path, patience) }
    return try Connection(
      socket: path, ofOwnerOf: Contract.busName, onBus: bus, patience,
      withoutBus: { (process) throws(BusError) in
        guard let program, !program.isRun(by: process) else { return }
        throw BusError(
          .accessDenied, program.objection(to: process, which: "listens at \(path)"))
      })
  }

  /// The name of the socket. Ignores the identity of the bus (`guid`), because some processes have an address
  /// with it and others without.
  private static func name(ofBus address: String) -> String {
    var plain = ""
    var separator = ""
    var rest = address[...]
    while !rest.isEmpty {
      let entry = rest.prefix { $0 != "," && $0 != ";" }
      if !entry.isEmpty, !entry.hasPrefix("guid=") {
        plain += separator
        plain += String(entry)
        separator = ","
      }
      rest = rest[entry.endIndex...]
      if rest.popFirst() == ";", !plain.isEmpty { separator = ";" }
    }
    // A hash, because the path of a socket has at most 107 bytes.
    var hash = FNV1a()
    hash.add(bytesOf: plain)
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
