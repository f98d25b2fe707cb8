internal import Glibc

/// The socket under a connection, to be cut without a word.
///
/// Closing the connection itself would first answer the calls that wait.
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

  /// Asks for each number, because listing a folder would open one.
  static func openDescriptors() -> [Int] {
    (0..<1024).filter { fcntl(Int32($0), F_GETFD) != -1 }
  }
}
