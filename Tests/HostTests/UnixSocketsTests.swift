import Foundation
import Glibc
import Testing

@testable import Host

@Suite("The Unix sockets of this machine") struct UnixSocketsTests {
  @Test("A listening socket is known by its path, and the process that has it open")
  func listener() throws {
    let folder = NSTemporaryDirectory() + "sockets-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/socket"
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    var address = try #require(sockaddr_un(path: path))
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(number, $0, size)
      }
    }
    try #require(bound == 0 && listen(number, 4) == 0)
    let own = try #require(ProcessDetails(of: getpid())?.openSockets)
    let sockets = try #require(UnixSockets())
    let listeners = try #require(sockets.listeners(at: path))
    #expect(listeners.count == 1 && listeners.isSubset(of: own))
    #expect(sockets.listeners(at: folder + "/none") == nil)
    #expect(sockets.listeners(at: folder) == [])
    // The clients of its server, by the connection of this process.
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(client) }
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(client, $0, size)
      }
    }
    let server = accept(number, nil, nil)
    defer { close(server) }
    try #require(connected == 0 && server >= 0)
    let all = try #require(UnixSockets())
    var status = stat()
    try #require(unsafe fstat(client, &status) == 0)
    #expect(all.clients(ofServerOf: client) == [UInt32(status.st_ino)])
    #expect(all.clients(ofServerOf: server) == nil)
    #expect(all.clients(ofServerOf: number) == nil)
  }

  @Test("A damaged answer is none") func damaged() {
    func take(_ bytes: [UInt8]) -> (UnixSockets.Progress, [UnixSockets.Socket]) {
      var sockets: [UnixSockets.Socket] = []
      return (UnixSockets.take(bytes, into: &sockets), sockets)
    }
    let header: [UInt8] = [0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    for size: UInt8 in [0, 15, 17, 255] {
      #expect(take([size] + header.dropFirst()).0 == .failure)
    }
    #expect(take([16] + header.dropFirst()).0 == .more)
    #expect(take([]).0 == .more)
    #expect(take([16, 0, 0, 0, 3, 0] + header.dropFirst(6)).0 == .end)
    #expect(take([16, 0, 0, 0, 2, 0] + header.dropFirst(6)).0 == .failure)
    // One socket, and an attribute that is longer than the message.
    let socket: [UInt8] =
      [1, 1, 10, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [6, 0, 0, 0, 97, 98, 0, 0]
      + [8, 0, 2, 0, 9, 0, 0, 0] + [200, 0, 1, 0]
    let (progress, sockets) = take([UInt8(16 + socket.count)] + header.dropFirst() + socket)
    #expect(progress == .more)
    #expect(
      sockets == [.init(inode: 7, isListening: true, peer: 9, name: [97, 98], file: nil)])
  }
}
