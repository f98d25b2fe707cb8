internal import FoundationEssentials
internal import LaunchRules

extension Refusal {
  /// Replaces the decoder's message, which refers to its implementation, by a message for users.
  /// Belongs to a reason that only the decoder knows. See `RefusedLine`.
  private static let hint = "; 'lsregister lint' shows the line"
  /// A text for readers to whom the line is shown.
  package static func withLine(_ text: String) -> String {
    text.hasSuffix(hint) ? String(text.dropLast(hint.count)) : text
  }

  /// The problem of a text that is cut short.
  static let cutShort = "the XML ends too early"

  package init(explaining error: any Error, in bytes: [UInt8]) {
    let words = Self.words(of: error)
    if bytes.starts(with: "bplist".utf8) {
      self.init(
        problem: "the binary property list is damaged or cut short",
        advice: "copy or convert it again")
    } else if Self.endsEarly(bytes) {
      self.init(
        problem: Self.cutShort, advice: "copy it again: it was probably cut short")
    } else if words.contains("parsing DTD") {
      self.init(
        problem: "the XML defines entities of its own, which property lists must not",
        advice: "remove the [ … ] part of the DOCTYPE line")
    } else if words.contains("unknown encoding") {
      self.init(
        problem: "the XML declares another encoding than UTF-8",
        advice: "save the file as UTF-8 and declare encoding=\"UTF-8\"")
    } else if words.contains("EOF") || words.contains("End of buffer") {
      self.init(
        problem: Self.cutShort, advice: "copy it again: it was probably cut short")
    } else if Self.hasPreprocessorLines(bytes) {
      self.init(
        problem: "the file contains lines for the C preprocessor, such as #if",
        advice: "register the Info.plist that the build makes of it")
    } else {
      self.init(
        problem: "the XML is not a property list (the decoder says: \(words))",
        advice: "correct it\(Self.hint)")
    }
  }

  static func words(of error: any Error) -> String {
    guard case .dataCorrupted(let context) = error as? DecodingError else {
      return "it cannot be decoded"
    }
    // Foundation marks `userInfo` unsafe because errors may be shared; this error is not shared.
    let userInfo = unsafe (context.underlyingError as? CocoaError)?.userInfo
    let inner = userInfo?["NSDebugDescription"] as? String
    var words = inner ?? context.debugDescription
    // Swift 6.3 reports every error "on line 1", which is wrong.
    for wrong in [" on line 1", " at line 1"] {
      if let range = words.firstRange(of: wrong) { words.removeSubrange(range) }
    }
    return String(words.quoted.dropFirst().dropLast())
  }

  /// Whether the bytes end inside a tag, before the first element, or without the end of the property list.
  /// In these cases the decoder reports another error.
  private static func endsEarly(_ bytes: [UInt8]) -> Bool {
    guard let last = bytes.lastIndex(of: UInt8(ascii: "<")) else { return false }
    let hasElement = zip(bytes, bytes.dropFirst()).contains {
      $0 == UInt8(ascii: "<") && $1.isLetter
    }
    return !bytes[last...].contains(UInt8(ascii: ">")) || !hasElement
      || bytes.contains("<plist".utf8) && !bytes.contains("</plist>".utf8)
  }

  private static func hasPreprocessorLines(_ bytes: [UInt8]) -> Bool {
    bytes.split(separator: UInt8(ascii: "\n")).contains { line in
      let text = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      return ["#if", "#include", "#define"].contains { text.starts(with: $0.utf8) }
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String.UTF8View) -> Bool { firstRange(of: text) != nil }
}

extension UInt8 {
  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
