internal import LaunchRules

/// Where a daemon takes connections without a bus between.
package enum DirectSocket {
  /// The path of the socket of the daemon on a session bus; nil where there is none.
  ///
  /// Each session bus has its own, in `$XDG_RUNTIME_DIR/launch-services`, so that nobody finds the daemon of
  /// another.
  /// - Parameter environment: the value of a variable; nil when it is missing or empty.
  package static func path(_ environment: (String) -> String?) -> String? {
    guard var folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    let address = environment("DBUS_SESSION_BUS_ADDRESS") ?? "unix:path=\(folder)/bus"
    return "\(folder)/launch-services/\(name(ofBus: address))"
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
