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
    decodedParts(encoded).flatMap { part -> [Recipient] in
      let text = part.trimmed.text
      if isValid(text) { return [.valid(text, encoded: part.written)] }
      let parts = part.partsBetweenCommas.map(\.trimmed)
      return parts.allSatisfy { isValid($0.text) }
        ? parts.map { .valid($0.text, encoded: $0.written) } : [.invalid(text)]
    }
  }

  /// The decoded texts between literal commas outside quotes, without those of blanks alone.
  private static func decodedParts(_ encoded: String) -> [EncodedText] {
    var list: [EncodedText] = []
    var isQuoted = false
    for piece in encoded.split(separator: ",", omittingEmptySubsequences: false) {
      let part = EncodedText(piece)
      if isQuoted {
        list[list.count - 1] += EncodedText(",")
        list[list.count - 1] += part
      } else {
        list.append(part)
      }
      if part.quotes % 2 == 1 { isQuoted.toggle() }
    }
    return list.filter { !$0.trimmed.isEmpty }
  }

  /// Whether the text has exactly one `@` and no comma outside quotes, characters on both sides of the `@`, and no line
  /// breaks.
  /// Does not check whether the mailbox exists.
  static func isValid(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    var isQuoted = false
    var ats: [String.Index] = []
    for index in scalars.indices {
      switch scalars[index] {
      case "\"": isQuoted.toggle()
      case "@" where !isQuoted: ats.append(index)
      case "," where !isQuoted: return false
      default: break
      }
    }
    guard ats.count == 1, let at = ats.first, !isQuoted else { return false }
    let isOneLine = scalars.allSatisfy {
      $0.properties.generalCategory != .control && $0.properties.generalCategory != .lineSeparator
        && $0.properties.generalCategory != .paragraphSeparator
    }
    return isOneLine && at != scalars.startIndex && scalars.index(after: at) != scalars.endIndex
  }
}
