internal import Glibc

/// The user namespace of this process.
enum UserNamespace {
  /// Whether user numbers here are others than outside. False when the kernel does not say so.
  static var hasOtherUsers: Bool {
    let file = unsafe open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    return count >= 0 && hasOtherUsers(String(decoding: bytes.prefix(count), as: UTF8.self))
  }

  /// - Parameter map: the contents of `/proc/PID/uid_map`; see user_namespaces(7).
  static func hasOtherUsers(_ map: String) -> Bool {
    let lines = map.split(separator: "\n").map { $0.split(separator: " ") }
    // Before the map is written, every user is the overflow user.
    return lines.isEmpty || lines.contains { $0.count != 3 || $0[0] != $0[1] }
  }
}
