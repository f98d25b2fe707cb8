internal import FoundationEssentials

/// A decoded text with the bytes of the URL for each of its scalars, so that a part of it can be handed on unchanged.
///
/// It consists of scalars, not of characters: programs that read mail addresses compare bytes, and a combining mark after a
/// comma would hide the comma.
struct EncodedText {
  private struct Piece {
    let scalar: Unicode.Scalar
    let written: Substring
  }

  private var pieces: [Piece] = []

  /// - Parameter decoded: `written` without its percent-encoding.
  init(_ written: Substring, decoded: String) {
    let bytes = written.utf8
    var place = bytes.startIndex
    for scalar in decoded.unicodeScalars {
      var end = place
      for _ in 0..<UTF8.width(scalar) where end < bytes.endIndex {
        let length = bytes[end] == UInt8(ascii: "%") ? 3 : 1
        end = bytes.index(end, offsetBy: length, limitedBy: bytes.endIndex) ?? bytes.endIndex
      }
      pieces.append(Piece(scalar: scalar, written: written[place..<end]))
      place = end
    }
  }

  /// - Parameter written: a part of a valid URL. Without text when its bytes are not UTF-8.
  init(_ written: Substring) { self.init(written, decoded: Self.decoded(written)) }

  private static func decoded(_ piece: Substring) -> String {
    guard piece.contains("%") else { return String(piece) }
    // Brackets may stand in a host, but not in a query.
    let query = piece.replacing("[", with: "%5B").replacing("]", with: "%5D")
    return URLComponents(string: "x:?" + query, encodingInvalidCharacters: false)?.query ?? ""
  }

  private init(_ pieces: ArraySlice<Piece>) { self.pieces = Array(pieces) }

  var text: String { String(String.UnicodeScalarView(pieces.map(\.scalar))) }
  /// The text as it is in the URL.
  var written: String { pieces.map(\.written).joined() }
  var isEmpty: Bool { pieces.isEmpty }
  var quotes: Int { pieces.count { $0.scalar == "\"" } }

  static func += (left: inout Self, right: Self) { left.pieces += right.pieces }

  /// Without the blanks at both ends.
  var trimmed: Self {
    var rest = pieces[...]
    while rest.first?.scalar == " " { rest.removeFirst() }
    while rest.last?.scalar == " " { rest.removeLast() }
    return Self(rest)
  }

  /// Without the blanks before the first `;`.
  var withoutBlanksInNumber: Self {
    let number = pieces.prefix { $0.scalar != ";" }
    return Self(number.filter { $0.scalar != " " } + pieces[number.endIndex...])
  }

  func prefix(_ length: Int) -> Self { Self(pieces.prefix(length)) }

  /// The parts between commas outside quotes.
  var partsBetweenCommas: [Self] {
    var isQuoted = false
    return pieces.split(omittingEmptySubsequences: false) { piece in
      if piece.scalar == "\"" { isQuoted.toggle() }
      return piece.scalar == "," && !isQuoted
    }.map { Self($0) }
  }

  /// The text as it is in the URL, with one encoded blank for each line break.
  var writtenOnOneLine: String {
    pieces.indices.map { index -> Substring in
      guard Character(pieces[index].scalar).isNewline else { return pieces[index].written }
      let isSecond = index > 0 && pieces[index].scalar == "\n" && pieces[index - 1].scalar == "\r"
      return isSecond ? "" : "%20"
    }.joined()
  }
}
