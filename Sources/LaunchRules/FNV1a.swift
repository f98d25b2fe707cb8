/// The 64-bit FNV-1a hash function of Fowler, Noll and Vo.
///
/// Unlike `Hasher`, it returns the same values in every process, so the values may be stored and compared
/// between processes.
package struct FNV1a {
  package private(set) var value: UInt64

  /// - Parameter seed: 0 for the published hash function.
  package init(seed: UInt64 = 0) { value = 0xcbf2_9ce4_8422_2325 ^ seed }

  package mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// Hashes the eight bytes of the number, the lowest first.
  package mutating func add(_ number: UInt64) {
    var number = number
    for _ in 0..<8 {
      add(UInt8(truncatingIfNeeded: number))
      number >>= 8
    }
  }

  package mutating func add(bytesOf text: String) {
    // A text may have a megabyte, so its bytes are hashed as a span.
    let bytes = text.utf8.span
    for index in bytes.indices { add(bytes[index]) }
  }

  /// Hashes the length before the text, so that `ab`, `c` and `a`, `bc` give different values.
  package mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    add(bytesOf: text)
  }

  /// Distinguishes nil from an empty text.
  package mutating func add(optional text: String?) {
    add(UInt8(text == nil ? 0 : 1))
    if let text { add(text) }
  }
}
