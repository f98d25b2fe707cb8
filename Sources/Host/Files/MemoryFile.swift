internal import CHost
internal import Glibc

/// An unnamed file in memory that another process writes.
package final class MemoryFile {
  package let number: Int32

  /// Nil when no descriptor is free.
  package init?() {
    number = chost_memory_file()
    if number < 0 { return nil }
  }

  deinit { close(number) }

  /// Reads from the beginning.
  package func text(atMost limit: Int) -> String {
    String(decoding: bytes(atMost: limit), as: UTF8.self)
  }

  /// Reads from the beginning.
  package func bytes(atMost limit: Int) -> [UInt8] {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { return [] }
    let size = min(limit, Int(status.st_size))
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = unsafe max(0, pread(number, buffer.baseAddress, size, 0))
    }
  }
}
