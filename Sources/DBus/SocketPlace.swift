internal import CDBus
internal import Glibc

/// A Unix socket in a D-Bus address.
struct SocketPlace {
  /// A path in the file system, or NUL and a name in the abstract namespace.
  private let name: [UInt8]

  enum Attempt {
    case connected(Int32)
    /// No process accepts connections at the socket.
    case nobody
    /// A process may accept connections, and has not accepted this one immediately.
    case unreachable
  }

  /// The places in an address, in their order, with nil for a transport other than Unix sockets. Nil when the text
  /// is not an address.
  static func all(in address: String) -> [SocketPlace?]? {
    var entries: UnsafeMutablePointer<OpaquePointer?>?
    var count: Int32 = 0
    guard unsafe dbus_parse_address(address, &entries, &count, nil) != 0,
      let entries = unsafe entries
    else { return nil }
    defer { unsafe dbus_address_entries_free(entries) }
    return (0..<Int(count)).map { index in
      guard let entry = unsafe entries[index] else { return nil }
      return unsafe SocketPlace(entry)
    }
  }

  private init?(_ entry: OpaquePointer) {
    guard unsafe String(cString: dbus_address_entry_get_method(entry)) == "unix" else { return nil }
    if let path = unsafe dbus_address_entry_get_value(entry, "path") {
      name = unsafe Array(String(cString: path).utf8)
    } else if let abstract = unsafe dbus_address_entry_get_value(entry, "abstract") {
      name = unsafe [0] + Array(String(cString: abstract).utf8)
    } else {
      return nil
    }
  }

  init(path: String) { name = Array(path.utf8) }

  /// Connects without waiting.
  func connected() -> Attempt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      guard name.count < bytes.count else { return false }
      unsafe bytes.copyBytes(from: name)
      return true
    }
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard room else { return .nobody }
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return .unreachable }
    // A name in the abstract namespace has a length and no NUL at its end.
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map {
      $0 + name.count + (name.first == 0 ? 0 : 1)
    }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(size ?? MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result != 0 else { return .connected(descriptor) }
    let reason = errno
    close(descriptor)
    return [ENOENT, ENOTDIR, ECONNREFUSED].contains(reason) ? .nobody : .unreachable
  }
}

/// Whether the socket accepts a connection immediately.
package func takesConnections(_ path: String) -> Bool {
  guard case .connected(let descriptor) = SocketPlace(path: path).connected() else { return false }
  close(descriptor)
  return true
}

/// The process that listens at the socket; nil when no process accepts a connection immediately.
package func listeningProcess(at path: String) -> UInt32? {
  guard case .connected(let descriptor) = SocketPlace(path: path).connected() else { return nil }
  defer { close(descriptor) }
  return socketPeer(of: descriptor)?.process
}

/// Whether this process accepts the connections to the socket, as far as this can be determined.
package func isListening(at path: String) -> Bool {
  switch SocketPlace(path: path).connected() {
  case .nobody: return false
  case .unreachable: return true
  case .connected(let descriptor):
    defer { close(descriptor) }
    return socketPeer(of: descriptor)?.process == UInt32(getpid())
  }
}

/// The process at the other end and its user, from the kernel; nil when the kernel does not know them.
func socketPeer(of descriptor: Int32) -> (process: UInt32, user: UInt32)? {
  var credentials: [UInt32] = [0, .max, .max]  // struct ucred: process, user, group
  var size = socklen_t(credentials.count * MemoryLayout<UInt32>.size)
  guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else {
    return nil
  }
  return (credentials[0], credentials[1])
}
