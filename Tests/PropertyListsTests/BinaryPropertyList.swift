/// A binary property list put together object by object, so that it can be wrong on purpose.
struct BinaryPropertyList {
  var objects: [[UInt8]] = []
  /// Where each object really lies, unless overridden.
  var offsets: [Int: UInt32] = [:]
  var topObject: UInt64 = 0
  var declaredCount: UInt64?
  var offsetTable: UInt64?

  /// The index of the new object.
  @discardableResult
  mutating func add(_ object: [UInt8]) -> UInt32 {
    objects.append(object)
    return UInt32(objects.count - 1)
  }

  mutating func text(_ text: String) -> UInt32 {
    add(Self.marker(0x50, text.utf8.count) + text.utf8)
  }

  mutating func array(_ entries: [UInt32]) -> UInt32 { add(Self.array(entries)) }

  static func array(_ entries: [UInt32]) -> [UInt8] {
    marker(0xA0, entries.count) + entries.flatMap(bigEndian)
  }

  static func dictionary(_ entries: [(UInt32, UInt32)]) -> [UInt8] {
    marker(0xD0, entries.count) + entries.flatMap { bigEndian($0.0) }
      + entries.flatMap { bigEndian($0.1) }
  }

  static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + bigEndian(UInt32(count))
  }

  static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  static func bigEndian(_ number: UInt64) -> [UInt8] {
    bigEndian(UInt32(truncatingIfNeeded: number >> 32))
      + bigEndian(UInt32(truncatingIfNeeded: number))
  }

  var bytes: [UInt8] {
    var bytes = Array("bplist00".utf8)
    var table: [UInt8] = []
    for (index, object) in objects.enumerated() {
      table += Self.bigEndian(offsets[index] ?? UInt32(bytes.count))
      bytes += object
    }
    let tablePlace = UInt64(bytes.count)
    bytes += table
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    bytes += Self.bigEndian(declaredCount ?? UInt64(objects.count))
    bytes += Self.bigEndian(topObject)
    return bytes + Self.bigEndian(offsetTable ?? tablePlace)
  }
}
