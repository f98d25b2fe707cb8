internal import LaunchRules

/// `mailto:ADDRESS,…?FIELD=VALUE&…`: a message to compose (R9.1–R9.4).
///
/// `+` means itself. Names of fields are case-insensitive.
package struct MailtoURL: URLFormat {
  package static let schemes = ["mailto"]

  /// The recipients. May be empty: Apple requires an address, but links for sharing have none.
  package let to: [String]
  package let cc: [String]
  package let bcc: [String]
  /// Without line breaks.
  package let subject: String?
  /// With the line breaks of the URL, CR LF according to the standard.
  package let body: String?
  package let notes: [FormatNote]
  /// Without the parts that are dropped. The others have the bytes of the URL.
  package let written: String?

  package init(_ parts: URLParts) throws(FormatProblem) {
    var letter = Letter(notes: parts.notes)
    let operand = letter.addRecipients(parts.encodedOperand.written, as: "to")
    for item in parts.query ?? [] { letter.add(item) }
    if parts.fragment != nil {
      letter.notes.add("#", "what follows it is dropped: mailto has no fragment")
    }
    to = letter.addresses["to"] ?? []
    if to.isEmpty, let rejected = letter.rejected {
      throw FormatProblem("\(rejected.quoted) is not a mail address")
    }
    cc = letter.addresses["cc"] ?? []
    bcc = letter.addresses["bcc"] ?? []
    subject = letter.texts["subject"]
    body = letter.texts["body"]
    notes = letter.notes.list
    let fields = letter.fields.joined(separator: "&")
    written = "\(parts.beginning)\(operand)" + (fields.isEmpty ? "" : "?\(fields)")
  }

  package var sentence: String {
    var parts =
      to.isEmpty
      ? ["without a recipient, although Apple requires an address (R9.1)"]
      : ["to \(to.joined(separator: ", ").quoted)"]
    if !cc.isEmpty { parts.append("cc \(cc.joined(separator: ", ").quoted)") }
    if !bcc.isEmpty { parts.append("bcc \(bcc.joined(separator: ", ").quoted)") }
    if let subject { parts.append("subject \(subject.quoted)") }
    if let body { parts.append("body \(body.quoted)") }
    return "writes a letter: " + parts.joined(separator: ", ")
  }
}

/// The fields that were read so far.
private struct Letter {
  var notes: FormatNotes
  var addresses: [String: [String]] = [:]
  var texts: [String: String] = [:]
  /// The fields of the query that stay, as they are written.
  var fields: [String] = []
  /// The first invalid address of `to`.
  var rejected: String?

  mutating func add(_ item: URLParts.Item) {
    let field = item.name.lowercased()
    switch field {
    case "to", "cc", "bcc":
      let recipients = addRecipients(item.encodedValue, as: field)
      if recipients == item.encodedValue {
        fields.append(item.encoded)
      } else if !recipients.isEmpty {
        fields.append("\(item.encodedName)=\(recipients)")
      }
    case "subject", "body": addText(item, as: field)
    case "from": notes.add("from", "dropped: the sender is the user's choice (R9.2)")
    default:
      notes.add(item.name.quoted, "dropped: the fields are to, cc, bcc, subject and body (R9.3)")
    }
  }

  /// Returns the valid recipients as they are in the URL: `encoded` itself when all are valid.
  mutating func addRecipients(_ encoded: String, as field: String) -> String {
    var kept: [String] = []
    var dropsAny = false
    for recipient in MailAddress.recipients(encoded) {
      switch recipient {
      case .valid(let address, let text):
        addresses[field, default: []].append(address)
        kept.append(text)
      case .invalid(let text):
        notes.add(field, "\(text.quoted) is not a mail address and was dropped")
        if field == "to", rejected == nil { rejected = text }
        dropsAny = true
      }
    }
    return dropsAny ? kept.joined(separator: ",") : encoded
  }

  private mutating func addText(_ item: URLParts.Item, as field: String) {
    guard texts[field] == nil else {
      notes.add(field, "a second one was dropped: the first counts")
      return
    }
    // A line break in the subject could add a header to the message.
    if field == "subject", item.value.contains(where: \.isNewline) {
      texts[field] = String(item.value.map { $0.isNewline ? " " : $0 })
      let written = EncodedText(item.encodedValue[...], decoded: item.value).writtenOnOneLine
      fields.append("\(item.encodedName)=\(written)")
      notes.add(field, "its line breaks were read as blanks")
    } else {
      texts[field] = item.value
      fields.append(item.encoded)
    }
  }
}
