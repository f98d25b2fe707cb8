internal import LaunchRules

/// `facetime:OPERAND` and `facetime-audio:OPERAND`: a call to a number or mail address (R9.9, R9.10).
package struct FaceTimeURL: URLFormat {
  package static let schemes = ["facetime", "facetime-audio"]

  package enum Callee: Hashable, Sendable {
    /// A telephone number with its separators.
    case phone(String)
    case email(String)
  }

  package let callee: Callee
  /// Whether the call has no video.
  package let isAudioOnly: Bool
  package let notes: [FormatNote]
  /// Without the parts that are dropped. The others have the bytes of the URL.
  package let written: String?

  package init(_ parts: URLParts) throws(FormatProblem) {
    var notes = parts.notes
    isAudioOnly = parts.scheme == "facetime-audio"
    if parts.query != nil {
      notes.add("?", "what follows it is dropped: \(parts.scheme) has no query")
    }
    let operand = Self.withoutCode(parts, &notes)
    if operand.isEmpty {
      throw FormatProblem(
        "it has no phone number and no mail address: add one, as in"
          + " \(parts.scheme):user@example.com (R9.9)")
    } else if PhoneNumber.isValid(operand) {
      callee = .phone(operand)
    } else if MailAddress.isValid(operand), !operand.contains(",") {
      callee = .email(operand)
    } else {
      throw FormatProblem("\(operand.quoted) is neither a phone number nor a mail address (R9.9)")
    }
    self.notes = notes.list
    written =
      parts.beginning + parts.encodedOperand.prefix(operand.unicodeScalars.count).written
  }

  package var called: String? { "\(scheme):\(operand)" }

  private var scheme: String { isAudioOnly ? "facetime-audio" : "facetime" }

  private var operand: String {
    switch callee {
    case .phone(let number): number
    case .email(let address): address
    }
  }

  package var sentence: String {
    let medium = isAudioOnly ? "calls" : "calls with video"
    return switch callee {
    case .phone(let number): "\(medium) the number \(number.quoted)"
    case .email(let address): "\(medium) \(address.quoted)"
    }
  }

  /// Drops the first `*` or `#` after a number, and the rest of the text: removing only `*` and `#` would
  /// give another number (R9.10). In a mail address `*` is an ordinary character.
  private static func withoutCode(_ parts: URLParts, _ notes: inout FormatNotes) -> String {
    var operand = parts.operand
    let isNumber = !operand.contains("@")
    let code = operand.firstIndex { $0 == "#" || $0 == "*" && isNumber }
    if let code { operand = String(operand[..<code]) }
    if code != nil || parts.fragment != nil {
      notes.add("* #", "ignored, with what follows (R9.10)")
    }
    return operand
  }
}
