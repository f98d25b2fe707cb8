/// The nesting depth of an old-style property list, computed in one pass and without recursion.
///
/// Follows the tokens of the decoder: comments, quoted texts and plain words hide brackets. What the decoder refuses
/// ends the count; the decoder does not look further either.
enum OldStyleDepth {
  static func staysWithin(_ limit: Int, _ text: [UInt8]) -> Bool {
    var depth = 0
    var place = 0
    while place < text.count {
      let byte = text[place]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "("):
        depth += 1
        if depth > limit { return false }
        place += 1
      case UInt8(ascii: "}"), UInt8(ascii: ")"):
        depth = max(0, depth - 1)
        place += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"): place = end(ofQuoted: byte, text, place + 1)
      case UInt8(ascii: "/") where place + 1 < text.count && text[place + 1] == UInt8(ascii: "/"):
        while place < text.count, text[place] != UInt8(ascii: "\n"), text[place] != 0x0D {
          place += 1
        }
      case UInt8(ascii: "/") where place + 1 < text.count && text[place + 1] == UInt8(ascii: "*"):
        place = end(ofComment: text, place + 2)
      case _ where byte.isWordByte:
        while place < text.count, text[place].isWordByte { place += 1 }
      default: place += 1
      }
    }
    return true
  }

  private static func end(ofQuoted quote: UInt8, _ text: [UInt8], _ start: Int) -> Int {
    var place = start
    while place < text.count, text[place] != quote {
      place += text[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return place + 1
  }

  private static func end(ofComment text: [UInt8], _ start: Int) -> Int {
    var place = start
    while place + 1 < text.count {
      if text[place] == UInt8(ascii: "*"), text[place + 1] == UInt8(ascii: "/") { return place + 2 }
      place += 1
    }
    return text.count
  }
}

extension UInt8 {
  /// Whether the byte belongs to a text without quotes.
  fileprivate var isWordByte: Bool {
    isVariableNameByte || "$/:.-".utf8.contains(self)
  }
}
