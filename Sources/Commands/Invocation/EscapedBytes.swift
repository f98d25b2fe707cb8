/// Represents file names, which need not be UTF-8, as texts. Each invalid byte becomes a character of the
/// last private use area, and such characters in a name are escaped, so that the mapping is reversible.
package enum EscapedBytes {
  private static let first: UInt32 = 0x10FE00

  static func isEscape(_ scalar: Unicode.Scalar) -> Bool {
    (first + 0x80...first + 0xFF).contains(scalar.value)
  }

  /// The byte that a character represents.
  static func byte(_ scalar: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: scalar.value) }

  package static func text(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    var iterator = bytes.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    var place = 0
    func escape(_ count: Int) {
      for byte in bytes[place..<place + count] {
        text.append(Unicode.Scalar(first + UInt32(byte)) ?? "\u{FFFD}")
      }
    }
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        if isEscape(scalar) { escape(encoded.count) } else { text.append(scalar) }
        place += encoded.count
      case .error(let count):
        escape(count)
        place += count
      case .emptyInput: return String(text)
      }
    }
  }

  package static func bytes(_ text: String) -> [UInt8] {
    guard text.hasEscapedBytes else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { isEscape($0) ? [byte($0)] : Array(String($0).utf8) }
  }
}

extension String {
  /// Whether the text represents a name that is not UTF-8.
  package var hasEscapedBytes: Bool { unicodeScalars.contains(where: EscapedBytes.isEscape) }
}
