/// Mail addresses in the fields of a `mailto` URL.
enum MailAddress {
  /// Splits the text at commas outside quotes, and removes blanks around each address and empty addresses.
  static func split(_ text: String) -> [String] {
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
    return list.map(\.trimmed).filter { !$0.isEmpty }
  }

  /// Whether the text has exactly one `@` outside quotes, with characters on both sides, and no line breaks.
  /// Does not check whether the mailbox exists.
  static func isValid(_ text: String) -> Bool {
    var isQuoted = false
    var ats: [String.Index] = []
    for index in text.indices {
      switch text[index] {
      case "\"": isQuoted.toggle()
      case "@" where !isQuoted: ats.append(index)
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
