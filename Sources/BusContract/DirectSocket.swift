package import DBus
internal import LaunchRules

/// Where a daemon takes connections without a bus between.
package struct DirectSocket {
  package let path: String
  /// The address of the bus of that daemon.
  package let bus: String

  package init(path: String, ofBus bus: String) {
    self.path = path
    self.bus = bus
  }

  /// That of the daemon on the session bus; nil where there is none.
  ///
  /// Each session bus has its own, in `$XDG_RUNTIME_DIR/launch-services`, so that nobody finds the daemon of
  /// another.
  /// - Parameter environment: the value of a variable; nil when it is missing or empty.
  package init?(_ environment: (String) -> String?) {
    guard var folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    bus = environment("DBUS_SESSION_BUS_ADDRESS") ?? "unix:path=\(folder)/bus"
    path = "\(folder)/launch-services/\(Self.name(ofBus: bus))"
  }

  /// The path of the socket of the daemon on a session bus; nil where there is none.
  package static func path(_ environment: (String) -> String?) -> String? {
    DirectSocket(environment)?.path
  }

  /// A connection to the daemon; nil where it takes none, and where another process does in its place: any process
  /// of the user can replace the socket, so the bus is asked which one the daemon is. Where there is no bus, a
  /// process of this user is believed.
  package func connection() -> Connection? {
    try? Connection(socket: path, ofOwnerOf: Contract.busName, onBus: bus)
  }

  /// The same for all spellings of an address that differ in the identity of the bus alone, which some
  /// processes are given and others not.
  private static func name(ofBus address: String) -> String {
    let plain = address.split(separator: ";").map { one in
      one.split(separator: ",").filter { !$0.hasPrefix("guid=") }.joined(separator: ",")
    }.joined(separator: ";")
    // A hash, because the path of a socket has at most 107 bytes.
    var hash = FNV1a()
    hash.add(bytesOf: plain)
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
