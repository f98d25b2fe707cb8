internal import CDBus
internal import Glibc

// MARK: - The credentials of a peer

extension Connection {
  /// Connects to the socket if the process that listens there owns `name` on the bus at `address`. The check is needed
  /// because every process that can write to the folder of the socket can replace the socket.
  /// - Parameter check: decides about the process that listens, where no bus runs.
  package convenience init(
    socket path: String, ofOwnerOf name: BusName, onBus address: String,
    _ patience: HandshakePatience = HandshakePatience(limit: .seconds(1)),
    withoutBus check: (_ process: UInt32) throws(BusError) -> Void = { _ in }
  ) throws(BusError) {
    // The bus answers while the connection is being made.
    let question = OwnerQuestion(name, at: address)
    try self.init(socket: path, patience)
    switch question.answer() {
    case .noBus: try check(peerProcess ?? 0)
    case .process(let owner):
      if isPeer(owner) { return }
      throw .disconnected("the process that listens at \(path) does not own \(name.text)")
    case .unknown:
      throw .disconnected("the bus does not say that the process at \(path) owns \(name.text)")
    }
  }

  /// Whether the process with this number listens at the other end. After the end of that process, another process may
  /// have the number; the kernel reports this since Linux 6.5.
  private func isPeer(_ process: UInt32) -> Bool {
    guard socketPeer?.process == process, process != 0 else { return false }
    return switch peerHandle {
    case .descriptor(let descriptor): !descriptor.isOfEndedProcess
    case .unavailable: true
    case .ended: false
    }
  }
}

extension Connection {
  /// The credentials of the process that has made the connection, from the kernel, in the form of the bus method
  /// `GetConnectionCredentials`. Available before the authentication.
  package var peerCredentials: Options {
    guard let peer = socketPeer else { return [:] }
    var credentials: Options = [
      "ProcessID": .uint32(peer.process), "UnixUserID": .uint32(peer.user),
    ]
    switch peerHandle {
    case .descriptor(let descriptor): credentials["ProcessFD"] = .descriptor(descriptor)
    case .unavailable: break
    case .ended: return [:]
    }
    return credentials
  }

  /// A descriptor of the process at the other end.
  private enum PeerHandle {
    case descriptor(OwnedDescriptor)
    /// The kernel is older than Linux 6.5, or no descriptor is free.
    case unavailable
    case ended
  }

  private var peerHandle: PeerHandle {
    let peerProcess: Int32 = 77  // SO_PEERPIDFD
    var process: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    if unsafe getsockopt(fileDescriptor, SOL_SOCKET, peerProcess, &process, &size) == 0 {
      return .descriptor(OwnedDescriptor(adopting: process))
    }
    switch errno {
    case ENOPROTOOPT, EMFILE, ENFILE: return .unavailable
    default: return .ended
    }
  }
}

extension Connection {
  /// The process that listens, which whoever can write to the folder of the socket may have put there.
  var isPeerOfThisUser: Bool { socketPeer?.user == getuid() }

  /// The process that opened the connection; nil when the kernel does not report it.
  package var peerProcess: UInt32? { socketPeer?.process }

  private var socketPeer: (process: UInt32, user: UInt32)? { DBus.socketPeer(of: fileDescriptor) }
}
