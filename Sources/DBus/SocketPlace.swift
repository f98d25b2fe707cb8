internal import CDBus
internal import Glibc

/// A Unix socket in a D-Bus address.
struct SocketPlace {
  /// A path in the file system, or NUL and a name in the abstract namespace; nil for a transport other than Unix sockets.
  private let name: [UInt8]?

  enum Attempt {
    case connected(Int32)
    /// No process accepts connections at the socket.
    case nobody
    /// A process may accept connections, and has not accepted this one immediately; or the transport is another one.
    case unreachable
  }

  /// The places in an address, in their order. Nil when the text is not an address.
  static func all(in address: String) -> [SocketPlace]? {
    var entries: UnsafeMutablePointer<OpaquePointer?>?
    var count: Int32 = 0
    guard unsafe dbus_parse_address(address, &entries, &count, nil) != 0,
      let entries = unsafe entries
    else { return nil }
    defer { unsafe dbus_address_entries_free(entries) }
    var places: [SocketPlace] = []
    for index in 0..<Int(count) {
      if let entry = unsafe entries[index] { unsafe places.append(SocketPlace(entry)) }
    }
    return places
  }

  private init(_ entry: OpaquePointer) {
    if unsafe String(cString: dbus_address_entry_get_method(entry)) != "unix" {
      name = nil
    } else if let path = unsafe dbus_address_entry_get_value(entry, "path") {
      name = unsafe Array(String(cString: path).utf8)
    } else if let abstract = unsafe dbus_address_entry_get_value(entry, "abstract") {
      name = unsafe [0] + Array(String(cString: abstract).utf8)
    } else {
      name = nil
    }
  }

  init(path: String) { name = Array(path.utf8) }

  /// Connects without waiting.
  func connected() -> Attempt {
    guard name != nil else { return .unreachable }
    guard let address else { return .nobody }
    let descriptor = Self.newSocket()
    guard descriptor >= 0 else { return .unreachable }
    let reason = unsafe withPointer(to: address) { unsafe connect(descriptor, $0, $1) }
    guard reason != 0 else { return .connected(descriptor) }
    close(descriptor)
    return [ENOENT, ENOTDIR, ECONNREFUSED].contains(reason) ? .nobody : .unreachable
  }

  /// Makes a socket here, which accepts connections of this user's processes, in the place of an earlier one.
  ///
  /// The socket has its mode before it has a name: another process that may write to the folder can put a symbolic link at
  /// the path, and chmod(2) of the path would change another file.
  /// - Returns: the descriptor, which the caller has to close.
  func listening() throws(BusError) -> Int32 {
    func failure(_ reason: Int32) -> BusError {
      .failed("the socket cannot be made: \(unsafe String(cString: strerror(reason)))")
    }
    guard let address else { throw failure(ENAMETOOLONG) }
    let descriptor = Self.newSocket()
    guard descriptor >= 0 else { throw failure(errno) }
    var status = stat()
    if let path, unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK {
      unsafe unlink(path)
    }
    var reason = fchmod(descriptor, 0o600) == 0 ? 0 : errno
    if reason == 0 { reason = unsafe withPointer(to: address) { unsafe bind(descriptor, $0, $1) } }
    if reason == 0, listen(descriptor, SOMAXCONN) != 0 { reason = errno }
    guard reason == 0 else {
      close(descriptor)
      throw failure(reason)
    }
    return descriptor
  }

  /// Nil for a name in the abstract namespace.
  private var path: String? {
    guard let name, name.first != 0 else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  private static func newSocket() -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    return socket(AF_UNIX, Int32(kind), 0)
  }

  /// Nil for a name that is too long, and for another transport.
  private var address: sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard let name else { return nil }
    let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      guard name.count < bytes.count else { return false }
      unsafe bytes.copyBytes(from: name)
      return true
    }
    return fits ? address : nil
  }

  /// - Returns: the reason for a failure of the system call; 0 for success.
  private func withPointer(
    to address: sockaddr_un, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    // A name in the abstract namespace has a length and no NUL at its end.
    let length = name.map { $0.count + ($0.first == 0 ? 0 : 1) } ?? 0
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + length }
    return unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe call($0, socklen_t(size ?? MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
      }
    }
  }
}

/// Makes a socket that accepts connections of this user's processes, in the place of an earlier socket.
/// - Returns: the descriptor, which the caller has to close.
package func listen(atSocket path: String) throws(BusError) -> Int32 {
  try SocketPlace(path: path).listening()
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
