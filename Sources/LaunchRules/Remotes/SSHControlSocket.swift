/// The control sockets of the connections that `lsopen ssh` makes: `NAME.TOKEN`, with the name of the remote.
package enum SSHControlSocket {
  /// The folder, below the runtime folder of the session.
  package static let folder = "launch-services/ssh"
  /// The number of characters of a token. ssh appends 17 more while it makes the socket, and the path of a socket has
  /// at most 107 bytes.
  private static let tokenLength = 8

  package static func name(of remote: String, token: String) -> String {
    "\(remote).\(token.prefix(tokenLength))"
  }

  /// The name of the remote; nil for another file.
  package static func remote(ofName name: String) -> String? {
    guard let dot = name.lastIndex(of: "."),
      name[name.index(after: dot)...].count == tokenLength
    else { return nil }
    return String(name[..<dot])
  }
}
