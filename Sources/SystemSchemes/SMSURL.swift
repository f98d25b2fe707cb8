internal import LaunchRules

/// `sms:` or `sms:NUMBER`: a text message to compose; without a number Messages is only opened (R9.12).
package struct SMSURL: URLFormat {
  package static let schemes = ["sms"]

  /// Nil for a URL without a number.
  package let recipient: String?
  package var notes: [FormatNote] { [] }

  package init(_ parts: URLParts) throws(FormatProblem) {
    let text = parts.operand
    guard parts.query == nil, parts.fragment == nil, !text.contains(where: { "&;".contains($0) })
    else {
      throw FormatProblem(
        "it contains more than a number: an sms URL must not have a message text or anything else"
          + " (R9.12)")
    }
    guard text.allSatisfy({ $0.isASCIIDigit || "+-.".contains($0) }) else {
      throw FormatProblem(
        "\(text.quoted) is not a number for sms: allowed are digits and + - . (R9.12)")
    }
    guard text.isEmpty || text.contains(where: \.isASCIIDigit) else {
      throw FormatProblem("\(text.quoted) contains no digit (R9.12)")
    }
    recipient = text.isEmpty ? nil : text
  }

  package var called: String? { recipient.map { "sms:\($0)" } }

  package var sentence: String {
    recipient.map { "writes a message to \($0.quoted)" } ?? "opens Messages, without a recipient"
  }
}
