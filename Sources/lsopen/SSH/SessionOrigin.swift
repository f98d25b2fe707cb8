internal import Glibc
internal import LaunchRules

/// What the sessions of one remote have in common; see `ForwardedSocket`.
enum SessionOrigin {
  /// - Parameter socket: the path of the socket of the remote. Its folder exists as long as the remote.
  /// - Returns: nil when the kernel does not say enough.
  static func ofRemote(_ socket: String) -> String? {
    guard let slash = socket.lastIndex(of: "/"), let boot else { return nil }
    var facts = stat()
    guard unsafe stat(String(socket[..<slash]), &facts) == 0 else { return nil }
    return ForwardedSocket.origin(
      boot: boot, device: UInt64(facts.st_dev), file: UInt64(facts.st_ino))
  }

  private static var boot: String? {
    let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
