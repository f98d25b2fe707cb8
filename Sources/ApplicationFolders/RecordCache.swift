package import Host
package import LaunchRules

/// The records of all property lists in one file, so that the next start does not read the property lists
/// again.
///
/// The file contains the identity of the program that wrote it, and ends with a checksum of all other bytes.
/// A file that is missing, damaged, or written by another program or user is ignored; all property lists are
/// then read again.
package struct RecordCache: Sendable {
  private let path: String
  /// Identifies the build of the program; another build may read property lists differently.
  private let program: String

  private static let format = "launch-services records 3\n"
  private static let checksumSize = 8
  /// Maximum size of the file, in bytes; a larger file is not used.
  private static let largestSize = 1 << 30

  /// - Parameter program: identifies the build of the program.
  package init(path: String, program: String) {
    self.path = path
    self.program = program
  }

  /// Nil without a valid file.
  package func read() -> PropertyListTable? {
    guard let bytes = try? RegularFile.readOwn(path, atMost: Self.largestSize) else { return nil }
    return Self.decode(bytes, program)
  }

  package func write(_ records: [ApplicationRecord]) throws(FileError) {
    try AtomicFile.write(
      Self.encode(records, program), to: path, followsLinks: false, surviving: .processes)
  }

  static func encode(_ records: [ApplicationRecord], _ program: String) -> [UInt8] {
    var bytes = Array((format + program + "\n").utf8)
    bytes.reserveCapacity(records.reduce(bytes.count + 16) { $0 + $1.bytes.count + 4 })
    bytes += fourBytes(records.count)
    for record in records {
      bytes += fourBytes(record.bytes.count)
      bytes += record.bytes
    }
    let checksum = Checksum.of(bytes[...])
    return bytes + (0..<checksumSize).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
  }

  static func decode(_ bytes: [UInt8], _ program: String) -> PropertyListTable? {
    let content = bytes.dropLast(checksumSize)
    let head = Array((format + program + "\n").utf8)
    guard bytes.count > head.count + checksumSize, content.starts(with: head),
      Checksum.of(content) == number(bytes.suffix(checksumSize))
    else { return nil }
    var rest = content.dropFirst(head.count)
    func next() -> Int? {
      guard rest.count >= 4 else { return nil }
      defer { rest = rest.dropFirst(4) }
      return Int(number(rest.prefix(4)))
    }
    guard let count = next(), count <= rest.count / 4 else { return nil }
    var table = PropertyListTable()
    table.reserveCapacity(count)
    for _ in 0..<count {
      guard let size = next(), size <= rest.count else { return nil }
      table.insert(ApplicationRecord(bytes: Array(rest.prefix(size))))
      rest = rest.dropFirst(size)
    }
    return rest.isEmpty ? table : nil
  }

  private static func fourBytes(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Least significant byte first.
  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// A checksum. It differs for bytes that differ in a single word; it detects damage, not forgery.
enum Checksum {
  static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    unsafe bytes.withUnsafeBytes { bytes in
      var sum = UInt64(bytes.count)
      let whole = bytes.count & ~7
      for place in stride(from: 0, to: whole, by: 8) {
        sum = mix(sum, unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      }
      var last: UInt64 = 0
      for place in whole..<bytes.count { last = unsafe last << 8 | UInt64(bytes[place]) }
      return mix(sum, last)
    }
  }

  /// Bijective in `sum` and in `word`, so that a difference in one word is never lost.
  private static func mix(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let product = (sum ^ word) &* 0x9e37_79b9_7f4a_7c15
    return product ^ product >> 29
  }
}
