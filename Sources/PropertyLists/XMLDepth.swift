/// An upper bound for the nesting depth of XML, computed in one pass and without recursion.
///
/// Every opening tag counts, wherever it is, but a closing tag counts only where no comment, character
/// section, instruction or attribute can hide it from the decoder. So the result is never too small.
enum XMLDepth {
  static func staysWithin(_ limit: Int, _ text: [UInt8]) -> Bool {
    let bytes = text.span
    var depth = 0
    /// A closing tag before this index may be part of something else.
    var hiddenUntil = 0
    for place in 0..<bytes.count where bytes[place] == UInt8(ascii: "<") {
      if bytes.hasNestingTag(at: place + 1) {
        if place < hiddenUntil {
          depth += 1
        } else {
          hiddenUntil = bytes.index(after: Mark.tagEnd, from: place)
          let isEmpty = hiddenUntil <= bytes.count && bytes[hiddenUntil - 2] == UInt8(ascii: "/")
          if !isEmpty { depth += 1 }
        }
        if depth > limit { return false }
      } else if place < hiddenUntil {
        continue
      } else if bytes.matches(Mark.slash, at: place + 1) {
        if bytes.hasNestingTag(at: place + 2) { depth = max(0, depth - 1) }
      } else if bytes.matches(Mark.comment, at: place + 1) {
        hiddenUntil = bytes.index(after: Mark.commentEnd, from: place + 4)
      } else if bytes.matches(Mark.characters, at: place + 1) {
        hiddenUntil = bytes.index(after: Mark.charactersEnd, from: place + 9)
      } else if bytes.matches(Mark.instruction, at: place + 1) {
        hiddenUntil = bytes.index(after: Mark.instructionEnd, from: place + 2)
      } else {
        hiddenUntil = bytes.index(after: Mark.tagEnd, from: place)
      }
    }
    return true
  }

  fileprivate enum Mark {
    /// The tags for which the decoder recurses. The decoder compares only these first letters.
    static let nestingTags = [Array("array".utf8), Array("dict".utf8), Array("plist".utf8)]
    static let tagEnd = Array(">".utf8)
    static let slash = Array("/".utf8)
    static let comment = Array("!--".utf8)
    static let commentEnd = Array("-->".utf8)
    static let characters = Array("![CDATA[".utf8)
    static let charactersEnd = Array("]]>".utf8)
    static let instruction = Array("?".utf8)
    static let instructionEnd = Array("?>".utf8)
  }
}

extension Span<UInt8> {
  fileprivate func hasNestingTag(at place: Int) -> Bool {
    XMLDepth.Mark.nestingTags.contains { matches($0, at: place) }
  }

  fileprivate func matches(_ text: [UInt8], at place: Int) -> Bool {
    guard place + text.count <= count else { return false }
    for offset in text.indices where text[offset] != self[place + offset] { return false }
    return true
  }

  /// The index after the next `text`, or an index beyond the end when `text` does not occur.
  fileprivate func index(after text: [UInt8], from start: Int) -> Int {
    var place = start
    while place < count {
      if matches(text, at: place) { return place + text.count }
      place += 1
    }
    return count + 1
  }
}
