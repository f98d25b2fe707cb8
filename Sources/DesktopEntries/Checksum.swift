internal import CGIO

/// Checksums with which applications name their sockets.
package enum Checksum {
  /// The 16 bytes of the MD5 checksum.
  package static func md5(_ bytes: [UInt8]) -> [UInt8] {
    guard let checksum = unsafe g_checksum_new(G_CHECKSUM_MD5) else { return [] }
    defer { unsafe g_checksum_free(checksum) }
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe g_checksum_update(checksum, bytes.baseAddress, gssize(bytes.count))
    }
    var length: gsize = 16
    return unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
      unsafe g_checksum_get_digest(checksum, buffer.baseAddress, &length)
      count = Int(length)
    }
  }
}
