internal import FoundationEssentials

/// Mail addresses in the fields of a `mailto` URL.
enum MailAddress {
  /// A recipient that a field names.
  enum Recipient: Hashable {
    /// The address, and its text in the URL.
    case valid(String, encoded: String)
    /// The whole text of a recipient that is no address. A part of it could be the address of somebody else.
    case invalid(String)
  }

  /// The recipients of a percent-encoded field. They are separated by literal commas outside quotes: an encoded comma is part of
  /// a recipient (RFC 6068). Only where each part between encoded commas is an address, they separate as in RFC 2368.
  static func recipients(_ encoded: String) -> [Recipient] {
    decodedParts(encoded).flatMap { text, encoded -> [Recipient] in
      if isValid(text) { return [.valid(text, encoded: encoded)] }
      let parts = split(text)
      return parts.allSatisfy(isValid)
        ? parts.map { .valid($0, encoded: $0.percentEncoded) } : [.invalid(text)]
    }
  }

  /// The decoded texts between literal commas outside quotes, without blanks around them and without empty ones, and each
  /// as it is in the URL.
  private static func decodedParts(_ encoded: String) -> [(text: String, encoded: String)] {
    var list: [(text: String, encoded: String)] = []
    var isQuoted = false
    for piece in encoded.split(separator: ",", omittingEmptySubsequences: false) {
      let text = decoded(piece)
      if isQuoted {
        list[list.count - 1].text += "," + text
        list[list.count - 1].encoded += "," + piece
      } else {
        list.append((text, String(piece)))
      }
      if text.count(where: { $0 == "\"" }) % 2 == 1 { isQuoted.toggle() }
    }
    return list.map { ($0.text[...].trimmed, $0.encoded) }.filter { !$0.0.isEmpty }
  }

  /// Decodes a part of a valid URL.
  private static func decoded(_ piece: Substring) -> String {
    guard piece.contains("%") else { return String(piece) }
    // Brackets may stand in a host, but not in a query.
    let query = piece.replacing("[", with: "%5B").replacing("]", with: "%5D")
    return URLComponents(string: "x:?" + query, encodingInvalidCharacters: false)?.query ?? ""
  }

  /// Splits the text at commas outside quotes, and removes blanks around each part.
  private static func split(_ text: String) -> [String] {
    var isQuoted = false
    var list: [Substring] = []
    var start = text.startIndex
    for index in text.indices {
      switch text[index] {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        list.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    list.append(text[start...])
    return list.map(\.trimmed)
  }

  /// Whether the text has exactly one `@` and no comma outside quotes, characters on both sides of the `@`, and no line
  /// breaks.
  /// Does not check whether the mailbox exists.
  static func isValid(_ text: String) -> Bool {
    var isQuoted = false
    var ats: [String.Index] = []
    for index in text.indices {
      switch text[index] {
      case "\"": isQuoted.toggle()
      case "@" where !isQuoted: ats.append(index)
      case "," where !isQuoted: return false
      default: break
      }
    }
    guard ats.count == 1, let at = ats.first, !isQuoted else { return false }
    let isOneLine = text.unicodeScalars.allSatisfy {
      $0.properties.generalCategory != .control && $0.properties.generalCategory != .lineSeparator
        && $0.properties.generalCategory != .paragraphSeparator
    }
    return isOneLine && at != text.startIndex && text.index(after: at) != text.endIndex
  }
}

extension Substring {
  /// The text without blanks at both ends.
  var trimmed: String {
    var rest = self
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
