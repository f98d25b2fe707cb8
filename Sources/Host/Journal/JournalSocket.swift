internal import Glibc

/// The socket where systemd's journal takes entries with fields. Never waits.
final class JournalSocket: Sendable {
  enum Sending: Hashable {
    case sent
    /// The journal is behind; the entry is lost.
    case full
    /// There is no journal behind the socket any more, or the entry is too long for it.
    case refused
  }

  private let descriptor: Int32
  private let path: String

  /// Nil when there is no socket there.
  init?(path: String) {
    guard unsafe access(path, W_OK) == 0, sockaddr_un(path: path) != nil else { return nil }
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, kind, 0)
    self.path = path
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// The address is told each time, as a journal that was started again is behind another socket.
  func send(_ datagram: [UInt8]) -> Sending {
    guard var address = sockaddr_un(path: path) else { return .refused }
    let count = unsafe datagram.withUnsafeBytes { bytes in
      unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          retrying {
            unsafe sendto(
              descriptor, bytes.baseAddress, bytes.count,
              Int32(MSG_DONTWAIT | MSG_NOSIGNAL), address,
              socklen_t(MemoryLayout<sockaddr_un>.size))
          }
        }
      }
    }
    if count == datagram.count { return .sent }
    return errno == EAGAIN ? .full : .refused
  }
}
