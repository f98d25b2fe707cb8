internal import Glibc

/// The Unix sockets of the network namespace of this process, as the kernel's socket diagnosis lists them; see
/// sock_diag(7).
package struct UnixSockets {
  /// The inode number by which `/proc/PID/fd` names a socket.
  package typealias Inode = UInt32

  struct Socket: Equatable {
    var inode: Inode
    var isListening: Bool
    /// The socket at the other end; nil for a socket that is not connected.
    var peer: Inode?
    /// The path or the abstract name that a server has given to the socket, also on accepted connections.
    var name: [UInt8] = []
    /// The inode of the file at the path. Nil for an abstract name.
    var file: Inode?
  }

  private let sockets: [Socket]

  /// Maximum number of bytes that the kernel returns: some 100,000 sockets.
  private static let largest = 16 << 20

  init(_ sockets: [Socket]) { self.sockets = sockets }

  /// Nil when the kernel cannot tell, or does not end its answer.
  package init?() {
    let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = socket(AF_NETLINK, kind, Self.socketDiagnosis)
    guard number >= 0 else { return nil }
    let descriptor = Descriptor(adopting: number)
    let question = Self.question
    guard unsafe send(number, question, question.count, 0) == question.count else { return nil }
    var sockets: [Socket] = []
    var size = 0
    while size < Self.largest {
      // The kernel has the next piece at once, and each piece fits into this buffer.
      guard let piece = try? descriptor.readSome(atMost: 65536), !piece.isEmpty else { return nil }
      size += piece.count
      switch Self.take(piece, into: &sockets) {
      case .more: break
      case .end:
        self.sockets = sockets
        return
      case .failure: return nil
      }
    }
    return nil
  }

  /// The connections of clients to the server that this process is connected to.
  /// - Parameter descriptor: the connection of this process to the server.
  package func clients(ofServerOf descriptor: Int32) -> Set<Inode>? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0,
      let own = sockets.first(where: { UInt64($0.inode) == UInt64(status.st_ino) }),
      let server = sockets.first(where: { $0.inode == own.peer }), !server.name.isEmpty
    else { return nil }
    return Set(
      sockets.filter { $0.name == server.name && $0.file == server.file }.compactMap(\.peer))
  }

  /// The sockets that listen at the path.
  package func listeners(at path: String) -> Set<Inode>? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    let file = UInt32(truncatingIfNeeded: status.st_ino)
    return Set(sockets.filter { $0.isListening && $0.file == file }.map(\.inode))
  }
}

extension ProcessDetails {
  /// The sockets that the process has open. Nil when this process may not see them, as for a process that hides its
  /// memory.
  package var openSockets: Set<UnixSockets.Inode>? {
    let folder = "/proc/\(pid)/fd"
    guard let names = try? FolderListing(of: folder, isSorted: false).names else { return nil }
    return Set(
      names.compactMap { name in
        guard let target = SymbolicLink.target(of: "\(folder)/\(name)"),
          target.hasPrefix("socket:["), target.hasSuffix("]")
        else { return nil }
        return UnixSockets.Inode(target.dropFirst(8).dropLast())
      })
  }
}

// MARK: - Messages of the kernel

extension UnixSockets {
  enum Progress {
    case more
    case end
    case failure
  }

  private static let socketDiagnosis: Int32 = 4  // NETLINK_SOCK_DIAG
  private static let byFamily: UInt16 = 20  // SOCK_DIAG_BY_FAMILY
  private static let listening: UInt8 = 10  // TCP_LISTEN
  private static let headerSize = 16

  /// All sockets of AF_UNIX, with name, file and peer.
  private static var question: [UInt8] {
    let request: UInt16 = 0x1 | 0x300  // NLM_F_REQUEST | NLM_F_DUMP
    let shown: UInt32 = 0x1 | 0x2 | 0x4  // UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_PEER
    let body =
      [UInt8(AF_UNIX), 0, 0, 0] + bytes(UInt32.max) + bytes(UInt32(0)) + bytes(shown)
      + bytes(UInt32.max) + bytes(UInt32.max)
    return bytes(UInt32(headerSize + body.count)) + bytes(byFamily) + bytes(request)
      + bytes(UInt32(1)) + bytes(UInt32(0)) + body
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
  }

  /// Reads messages of netlink(7).
  static func take(_ piece: [UInt8], into sockets: inout [Socket]) -> Progress {
    var rest = piece[...]
    while rest.count >= headerSize {
      let size = Int(rest.number(at: 0, UInt32.self) ?? 0)
      guard size >= headerSize, size <= rest.count else { return .failure }
      switch rest.number(at: 4, UInt16.self) {
      case 2: return .failure  // NLMSG_ERROR
      case 3: return .end  // NLMSG_DONE
      case byFamily:
        if let socket = Socket(rest.prefix(size).dropFirst(headerSize)) { sockets.append(socket) }
      default: break
      }
      rest = rest.dropFirst((size + 3) & ~3)
    }
    return .more
  }
}

extension UnixSockets.Socket {
  /// - Parameter message: a `struct unix_diag_msg` and its attributes.
  fileprivate init?(_ message: ArraySlice<UInt8>) {
    let fixed = 16
    guard message.count >= fixed, let inode = message.number(at: 4, UInt32.self) else { return nil }
    self.inode = inode
    isListening = message[message.startIndex + 2] == UnixSockets.listening
    var rest = message.dropFirst(fixed)
    while rest.count >= 4, let size = rest.number(at: 0, UInt16.self).map(Int.init), size >= 4,
      size <= rest.count
    {
      let value = rest.prefix(size).dropFirst(4)
      switch rest.number(at: 2, UInt16.self) {
      case 0: name = Array(value)  // UNIX_DIAG_NAME
      case 1: file = value.number(at: 0, UInt32.self)  // UNIX_DIAG_VFS
      case 2: peer = value.number(at: 0, UInt32.self)  // UNIX_DIAG_PEER
      default: break
      }
      rest = rest.dropFirst((size + 3) & ~3)
    }
  }
}

extension ArraySlice<UInt8> {
  /// The number in the byte order of this machine; nil past the end.
  fileprivate func number<Number: FixedWidthInteger>(at place: Int, _: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard place + size <= count else { return nil }
    let bytes = dropFirst(place).prefix(size)
    #if _endian(little)
      return bytes.reversed().reduce(0) { $0 << 8 | Number($1) }
    #else
      return bytes.reduce(0) { $0 << 8 | Number($1) }
    #endif
  }
}
