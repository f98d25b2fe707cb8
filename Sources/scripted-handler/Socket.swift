internal import Glibc

/// The sockets of a connection, which can be shut down abruptly.
///
/// Closing the connection itself would first answer the pending calls.
struct Socket {
  private let descriptors: [Int]

  /// The sockets that were opened since `before`.
  init(after before: Set<Int>) {
    descriptors = Self.openDescriptors().filter { !before.contains($0) }
  }

  static func all() -> Set<Int> { Set(openDescriptors()) }

  func shutDown() {
    for descriptor in descriptors { _ = shutdown(Int32(descriptor), Int32(SHUT_RDWR)) }
  }

  /// Tests each number, because listing a folder would open a descriptor.
  static func openDescriptors() -> [Int] {
    (0..<1024).filter { fcntl(Int32($0), F_GETFD) != -1 }
  }
}
