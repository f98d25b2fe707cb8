package import Host
package import LaunchRules

/// What was read of all property lists, in one file, so that the next start need not read them again.
///
/// The file says which program wrote it, and ends with a checksum over everything else. One that is missing,
/// damaged, written by another program or by another user is as good as none: everything is read again.
package struct RecordCache: Sendable {
  private let path: String
  /// Another one reads property lists in another way, perhaps.
  private let program: String

  private static let format = "launch-services records 3\n"
  private static let checksumSize = 8
  /// In bytes; a larger file is not used.
  private static let largestSize = 1 << 30

  /// - Parameter program: what tells one build of the program from others.
  package init(path: String, program: String) {
    self.path = path
    self.program = program
  }

  /// Nil when there is no usable file.
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

  /// Lowest byte first.
  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Of bytes: two that differ in one word have different ones. It finds damage, not forgery.
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

  /// Each step can be undone when the word is known, so that what differs once stays different.
  private static func mix(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let product = (sum ^ word) &* 0x9e37_79b9_7f4a_7c15
    return product ^ product >> 29
  }
}
