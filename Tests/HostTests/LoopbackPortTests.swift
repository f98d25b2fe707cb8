import Foundation
import Glibc
import Host
import Testing

@Suite("A port of the loopback interface") struct LoopbackPortTests {
  /// A socket that listens at any port of an address.
  private func listener(_ family: Int32) throws -> (socket: Int32, port: UInt16) {
    let listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    try #require(listener >= 0)
    var storage = sockaddr_in6()
    let size =
      family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    if family == AF_INET {
      unsafe withUnsafeMutableBytes(of: &storage) {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        unsafe $0.storeBytes(of: four, as: sockaddr_in.self)
      }
    } else {
      storage.sin6_family = sa_family_t(AF_INET6)
      storage.sin6_addr = in6addr_loopback
    }
    var length = socklen_t(size)
    let isBound = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, length) == 0 && listen(listener, 1) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    try #require(isBound)
    // The port is at the same place in both kinds of addresses.
    return (listener, UInt16(bigEndian: storage.sin6_port))
  }

  @Test(
    "is used at the address at which a program listens, and free after the program has closed it",
    arguments: [(AF_INET, "127.0.0.1"), (AF_INET6, "::1")])
  func used(family: Int32, address: String) throws {
    let (socket, port) = try listener(family)
    #expect(LoopbackPort.usedAddress(port) == address)
    close(socket)
    #expect(LoopbackPort.usedAddress(port) == nil)
  }
}
