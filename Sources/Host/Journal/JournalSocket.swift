internal import Glibc

/// The socket of systemd's journal for entries with fields. Never blocks.
final class JournalSocket: Sendable {
  enum Sending: Hashable {
    case sent
    /// The socket's buffer is full; the entry is lost.
    case full
    /// No journal reads the socket any longer, or the entry is too long.
    case refused
  }

  private let descriptor: Int32
  private let path: String

  /// Nil when the socket does not exist.
  init?(path: String) {
    guard unsafe access(path, W_OK) == 0, sockaddr_un(path: path) != nil else { return nil }
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, kind, 0)
    self.path = path
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Sends to the address each time, because a restarted journal has a new socket.
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
