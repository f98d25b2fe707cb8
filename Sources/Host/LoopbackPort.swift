internal import Glibc

/// A TCP port of this machine, as programs of this machine use it.
package enum LoopbackPort {
  /// The loopback address, `127.0.0.1` or `::1`, at which a program listens at the port; nil when the port is free at both.
  package static func usedAddress(_ port: UInt16) -> String? {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = port.bigEndian
    four.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    if isUsed(AF_INET, &four) { return "127.0.0.1" }
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = port.bigEndian
    six.sin6_addr = in6addr_loopback
    return isUsed(AF_INET6, &six) ? "::1" : nil
  }

  /// Whether the address cannot be bound because a program listens there. An address that this machine does not have is
  /// not used.
  private static func isUsed<Address>(_ family: Int32, _ address: inout Address) -> Bool {
    let trial = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard trial >= 0 else { return false }
    defer { close(trial) }
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Connections that have ended do not count, and the addresses of IPv4 are not those of IPv6.
    unsafe setsockopt(trial, SOL_SOCKET, SO_REUSEADDR, &yes, size)
    if family == AF_INET6 {
      unsafe setsockopt(trial, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size)
    }
    let isBound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(trial, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
    return !isBound && errno == EADDRINUSE
  }
}
