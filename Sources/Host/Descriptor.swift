internal import Glibc
internal import Synchronization

/// Counts the files that could not be opened because the process had no free descriptors.
package enum DescriptorShortage {
  private static let times = Atomic(0)

  /// The number of such failures. If it grows while a folder is read, missing files do not mean that they were
  /// removed.
  package static var count: Int { times.load(ordering: .relaxed) }

  /// Counts the failure of the last system call when errno reports a shortage of descriptors.
  static func recordFailure() {
    if errno == EMFILE || errno == ENFILE { times.add(1, ordering: .relaxed) }
  }
}

/// Owns one open file descriptor and closes it at the end of its life.
struct Descriptor: ~Copyable {
  let number: Int32

  init(adopting number: Int32) { self.number = number }

  /// Duplicates `number` to a descriptor above 2.
  init(duplicating number: Int32) throws(Errno) {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw Errno.last }
    self.number = copy
  }

  /// Opens `path` with O_CLOEXEC and O_NOCTTY.
  ///
  /// Fails with EINVAL if the path has a zero byte, at which C would cut it.
  init(opening path: String, _ flags: Int32, mode: mode_t = 0) throws(Errno) {
    guard !path.utf8.contains(0) else { throw Errno(EINVAL) }
    let number = unsafe open(path, flags | O_CLOEXEC | O_NOCTTY, mode)
    guard number >= 0 else {
      DescriptorShortage.recordFailure()
      throw Errno.last
    }
    self.number = number
  }

  deinit { close(number) }

  func status() throws(Errno) -> stat {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw Errno.last }
    return status
  }

  /// Passes ownership of the descriptor to the caller, who closes it.
  consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }

  /// Reads to the end of the file, but stops after more than `limit` bytes.
  /// - Parameter size: The expected number of bytes; 0 when unknown.
  func readAll(stoppingPast limit: Int, expecting size: Int = 0) throws(Errno) -> [UInt8] {
    var bytes = size > 0 ? try readSome(atMost: size + 1) : []
    if size > 0, bytes.count == size { return bytes }
    while bytes.count <= limit {
      let piece = try readSome(atMost: 65536)
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  /// Reads once; returns no bytes at the end of the file.
  func readSome(atMost count: Int) throws(Errno) -> [UInt8] {
    var failure: Errno?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let got = retrying { unsafe read(number, buffer.baseAddress, count) }
      if got < 0 { failure = .last } else { filled = got }
    }
    if let failure { throw failure }
    return bytes
  }

  func writeAll(_ bytes: [UInt8]) throws(Errno) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes { rest in
        retrying { unsafe write(number, rest.baseAddress, rest.count) }
      }
      guard count >= 0 else { throw Errno.last }
      written += count
    }
  }
}

/// Repeats a system call that a signal interrupted.
func retrying(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
