/// Puts numbers and texts one after the other into bytes; `RecordReader` reads them again in that order.
package struct RecordWriter {
  package private(set) var bytes: [UInt8] = []

  package init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

  /// Seven bits to a byte, lowest first; the highest bit says that more follow.
  package mutating func write(_ number: UInt64) {
    var rest = number
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func write(_ number: Int64) { write(UInt64(bitPattern: number)) }

  /// Behind the number of its bytes plus one; 0 stands for nil.
  package mutating func write(_ text: String?) {
    guard let text else { return write(UInt64(0)) }
    write(UInt64(text.utf8.count) + 1)
    bytes.append(contentsOf: text.utf8)
  }

  /// Behind their number.
  package mutating func write(_ texts: [String]) {
    write(UInt64(texts.count))
    for text in texts { write(text) }
  }

  /// Without what it begins with in common with another text, which the reader must have, too.
  package mutating func write(_ text: String, after other: String) {
    let common = zip(text.utf8, other.utf8).prefix { $0 == $1 }.count
    write(UInt64(common))
    write(UInt64(text.utf8.count - common))
    bytes.append(contentsOf: text.utf8.dropFirst(common))
  }

  /// Puts a number of four bytes, lowest first, over those at `place`.
  mutating func put(_ number: UInt32, at place: Int) {
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
  }

  mutating func skip(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }
}

/// Reads what `RecordWriter` wrote. Bytes that nobody wrote give other values, and past the end there
/// are only zeros and nil.
package struct RecordReader {
  private let bytes: [UInt8]
  package private(set) var place: Int

  package init(_ bytes: [UInt8], at place: Int = 0) {
    self.bytes = bytes
    self.place = place
  }

  package mutating func number() -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7f) << shift
      shift += 7
      if byte & 0x80 == 0 { break }
    }
    return number
  }

  package mutating func signedNumber() -> Int64 { Int64(bitPattern: number()) }

  /// How many of something follow, of which each takes a byte or more.
  package mutating func count() -> Int {
    let number = number()
    return Int(min(number, UInt64(bytes.count - place)))
  }

  package mutating func text() -> String? {
    textRange().map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  package mutating func texts() -> [String] { (0..<count()).map { _ in text() ?? "" } }

  package mutating func text(after other: String) -> String {
    let common = count(atMost: other.utf8.count)
    let rest = take(count())
    return String(decoding: Array(other.utf8.prefix(common)) + bytes[rest], as: UTF8.self)
  }

  /// Where the bytes of the next text lie.
  mutating func textRange() -> Range<Int>? {
    let length = number()
    guard length > 0 else { return nil }
    return take(Int(min(length - 1, UInt64(bytes.count - place))))
  }

  private mutating func count(atMost limit: Int) -> Int { Int(min(number(), UInt64(limit))) }

  private mutating func take(_ count: Int) -> Range<Int> {
    defer { place += count }
    return place..<(place + count)
  }
}
