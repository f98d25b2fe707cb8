/// Encodes numbers and texts as bytes; `RecordReader` decodes them in the same order.
package struct RecordWriter {
  package private(set) var bytes: [UInt8] = []

  package init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

  /// Writes seven bits per byte, lowest first; the highest bit means that more bytes follow.
  package mutating func write(_ number: UInt64) {
    var rest = number
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func write(_ number: Int64) { write(UInt64(bitPattern: number)) }

  /// Writes the number of bytes plus one, then the bytes; 0 for nil.
  package mutating func write(_ text: String?) {
    guard let text else { return write(UInt64(0)) }
    write(UInt64(text.utf8.count) + 1)
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes the number of texts, then the texts.
  package mutating func write(_ texts: [String]) {
    write(UInt64(texts.count))
    for text in texts { write(text) }
  }

  /// Writes a text without the common prefix with another text, which the reader must know.
  package mutating func write(_ text: String, after other: String) {
    let common = zip(text.utf8, other.utf8).prefix { $0 == $1 }.count
    write(UInt64(common))
    write(UInt64(text.utf8.count - common))
    bytes.append(contentsOf: text.utf8.dropFirst(common))
  }

  /// Overwrites the four bytes at `place` with a number, lowest byte first.
  mutating func put(_ number: UInt32, at place: Int) {
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
  }

  mutating func skip(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }
}

/// Decodes the output of `RecordWriter`. Invalid bytes give arbitrary values; past the end all values are
/// zero or nil.
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

  /// The number of following elements, limited by the remaining bytes.
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

  /// The range of the bytes of the next text.
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
