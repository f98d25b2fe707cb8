internal import LaunchRules

/// `tel:NUMBER`: a telephone number to dial (R9.5, R9.6).
package struct TelURL: URLFormat {
  package static let schemes = ["tel", "telprompt"]

  private let scheme: String
  /// The decoded number without blanks and parameters; never empty.
  package let number: String
  /// The parts after the first `;`, such as `ext=12`; RFC 3966 defines them.
  package let parameters: [String]
  /// False when the number contains `*` or `#`, also percent-encoded: such a number could redirect calls or
  /// change the account (R9.6).
  package let isDialled: Bool
  package let notes: [FormatNote]
  /// Without the parts that are dropped. The others have the bytes of the URL.
  package let written: String?

  package init(_ parts: URLParts) throws(FormatProblem) {
    var notes = parts.notes
    var text = parts.operand
    // `#` is part of the number, not the start of a fragment.
    if let fragment = parts.fragment {
      text += "#" + fragment
    }
    if parts.query != nil { notes.add("?", "what follows it is dropped: tel has no query") }
    let pieces = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    var number = pieces.first ?? ""
    if number.contains(" ") {
      number.removeAll { $0 == " " }
      notes.add("number", "its blanks were dropped: write - instead")
    }
    guard !number.isEmpty else {
      throw FormatProblem("it has no number: write one, as in tel:1-408-555-5555 (R9.5)")
    }
    isDialled = !text.contains { $0 == "*" || $0 == "#" } && !Self.hasCode(parts)
    let plain = number.filter { !"*#".contains($0) }
    guard plain.isEmpty || Self.isNumber(plain) else {
      throw FormatProblem(
        "\(number.quoted) is not a telephone number: write digits, a + in front and - . ( ) between"
      )
    }
    if !isDialled { notes.add("number", "it is not dialled: it contains * or # (R9.6)") }
    self.number = number
    scheme = parts.scheme
    parameters = Array(pieces.dropFirst())
    self.notes = notes.list
    written = parts.beginning + parts.encodedOperand.withoutBlanksInNumber.written
  }

  package var sentence: String {
    isDialled ? "dials \(number.quoted)" : "dials nothing, and shows \(number.quoted)"
  }

  package var called: String? { "\(scheme):" + ([number] + parameters).joined(separator: ";") }

  /// R9.6 applies to the whole URL, so to its query, too.
  private static func hasCode(_ parts: URLParts) -> Bool {
    (parts.query ?? []).contains { item in
      (item.name + item.value).contains { $0 == "*" || $0 == "#" }
    }
  }

  /// Also allows the pauses and extensions of RFC 2806, in upper and lower case, and commas, which are
  /// pauses.
  private static func isNumber(_ text: String) -> Bool {
    PhoneNumber.isValid(
      text, separators: ["-", ".", "(", ")", "p", "w", "x", "P", "W", "X", ","])
  }
}
