import BusContract
import Commands
import Foundation
import Glibc
import Testing

/// Which daemon a command asks, when a socket of another machine was forwarded to this one.
@Suite struct RemoteServiceTests {
  /// Runs the body with a service on a machine with a display and a forwarded socket, at which nobody answers.
  private func withService(
    _ local: ScriptedService, _ body: (_ failure: () -> ServiceFailure?, _ path: String) -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    let path = folder + "/" + RemoteSocket.forwardedName
    try FileManager.default.createDirectory(
      atPath: folder + "/launch-services", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let descriptor = try listen(at: path)
    defer { close(descriptor) }
    let service = Service.chosen(
      by: { ["DISPLAY": ":7", "XDG_RUNTIME_DIR": folder][$0] }, orElse: local.service)
    body(
      {
        do throws(ServiceFailure) {
          _ = try service.call(Contract.ping(), 50)
          return nil
        } catch {
          return error
        }
      }, path)
  }

  private func listen(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size) == 0
      }
    }
    try #require(isBound && Glibc.listen(descriptor, 8) == 0)
    return descriptor
  }

  @Test("without a daemon on this machine, the forwarded socket is asked") func absent() throws {
    let local = ScriptedService(.failure(.notRunning("no such name")))
    try withService(local) { failure, path in
      guard case .remoteUnreachable(path, _) = failure() else {
        Issue.record("the socket was not asked")
        return
      }
    }
  }

  @Test("what a daemon of this machine has received is not repeated on another machine")
  func lost() throws {
    let local = ScriptedService(.failure(.ended), .failure(.notRunning("no such name")))
    try withService(local) { failure, _ in
      #expect(failure() == .ended)
      #expect(failure() == .notRunning("no such name"))
    }
  }
}
