internal import CDBus
internal import Glibc

// MARK: - The credentials of a peer

extension Connection {
  /// Connects to the socket of the process that owns `name` on the bus at `address`, as that bus says; where there
  /// is no bus, of any process of this user. Whoever can write to the folder of the socket may have put another
  /// one there.
  package convenience init(socket path: String, ofOwnerOf name: BusName, onBus address: String)
    throws(BusError)
  {
    // Under way while the connection is made.
    let question = OwnerQuestion(name, at: address)
    try self.init(socket: path)
    switch question.answer() {
    case .noBus: return
    case .process(let owner):
      if isPeer(owner) { return }
      throw .disconnected("the process that listens at \(path) does not own \(name.text)")
    case .unknown:
      throw .disconnected("the bus does not say that the process at \(path) owns \(name.text)")
    }
  }

  /// The process with this number listens at the other end. Its number may be that of another process when it has
  /// ended, which the kernel tells since Linux 6.5.
  private func isPeer(_ process: UInt32) -> Bool {
    guard socketPeer?.process == process, process != 0 else { return false }
    guard case .descriptor(let descriptor) = peerCredentials["ProcessFD"] else {
      return !peerCredentials.isEmpty
    }
    return !descriptor.isOfEndedProcess
  }
}

extension Connection {
  /// As the kernel says, in the form in which a bus gives the credentials of a connection: of the process
  /// that has made it, also before it is authenticated.
  package var peerCredentials: Options {
    guard let peer = socketPeer else { return [:] }
    var credentials: Options = [
      "ProcessID": .uint32(peer.process), "UnixUserID": .uint32(peer.user),
    ]
    let peerProcess: Int32 = 77  // SO_PEERPIDFD, since Linux 6.5
    var process: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    if unsafe getsockopt(fileDescriptor, SOL_SOCKET, peerProcess, &process, &size) == 0 {
      credentials["ProcessFD"] = .descriptor(OwnedDescriptor(adopting: process))
    } else if ![ENOPROTOOPT, EMFILE, ENFILE].contains(errno) {
      return [:]  // the process has gone
    }
    return credentials
  }
}

extension Connection {
  /// The process that listens, which whoever can write to the folder of the socket may have put there.
  var isPeerOfThisUser: Bool { socketPeer?.user == getuid() }

  /// The process that opened the connection; nil when the kernel does not report it.
  package var peerProcess: UInt32? { socketPeer?.process }

  private var socketPeer: (process: UInt32, user: UInt32)? { DBus.socketPeer(of: fileDescriptor) }
}
