internal import Glibc
internal import Synchronization

/// Files that could not be opened because no descriptors were left.
package enum DescriptorShortage {
  private static let times = Atomic(0)

  /// How often it has come to that. When it has while something was read, what is missing means nothing.
  package static var count: Int { times.load(ordering: .relaxed) }

  /// After a call has failed.
  static func note() {
    if errno == EMFILE || errno == ENFILE { times.add(1, ordering: .relaxed) }
  }
}

/// One open file descriptor; closed when it goes away.
struct Descriptor: ~Copyable {
  let number: Int32

  init(adopting number: Int32) { self.number = number }

  /// Another number, above 2, for what `number` is open on.
  init(duplicating number: Int32) throws(Errno) {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw Errno.last }
    self.number = copy
  }

  /// Opens `path`, always closed on exec and never as a controlling terminal.
  ///
  /// A path with a zero byte is refused as `EINVAL`: C would open whatever stands before it.
  init(opening path: String, _ flags: Int32, mode: mode_t = 0) throws(Errno) {
    guard !path.utf8.contains(0) else { throw Errno(EINVAL) }
    let number = unsafe open(path, flags | O_CLOEXEC | O_NOCTTY, mode)
    guard number >= 0 else {
      DescriptorShortage.note()
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

  /// Gives the number away; the receiver closes it.
  consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }

  /// Reads until the end, or until more than `limit` bytes are there.
  /// - Parameter size: how many there probably are; 0 when that is not known.
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

  /// Reads once; empty at the end.
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

/// Calls again for as long as a signal got in the way.
func retrying(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
