extension CanOpenAnswer {
  /// The log line for the answer no (R3.13); nil for yes.
  ///
  /// `url` is the queried URL. Its query and fragment are not logged.
  package func logLine(for url: String) -> String? {
    guard case .no(let reason) = self else { return nil }
    // A quotation mark would end the quoted URL.
    let shown = String(redacted(url).map { $0 == "\"" ? "\u{FFFD}" : $0 })
    return "-canOpenURL: failed for URL: \"\(shown)\" - error: \"\(reason.logText)\""
  }

  /// The remedy, for the log; nil when the log line is sufficient.
  package var hint: Hint? {
    guard case .no(.notAllowed(_, let hint)) = self else { return nil }
    return hint
  }
}

extension CanOpenAnswer.NoReason {
  /// The text that Apple's systems log.
  package var logText: String {
    switch self {
    case .unparsable: "Invalid input URL"
    case .notAllowed(let scheme, _):
      "This app is not allowed to query for scheme \(redacted(scheme.text))"
    case .notFound: "The operation couldn’t be completed. (OSStatus error -10814.)"
    case .quotaExceeded: "This app has exceeded the number of allowed scheme queries"
    }
  }
}

/// A URL for logs and errors: without query and fragment, in one line of at most 256 Unicode scalars. Control and
/// format characters become `�`.
package func redacted(_ url: String) -> String {
  let longest = 256
  // The fast path, for most URLs.
  if url.utf8.count <= longest, url.utf8.allSatisfy(isHarmless) { return url }
  let start = url.unicodeScalars.prefix(longest + 1)
  let head = start.prefix { $0 != "?" && $0 != "#" }
  if head.count == start.count, start.count <= longest { return harmless(head) }
  if head.count < start.count, head.count <= longest - 2 {
    return harmless(head) + String(start[head.endIndex]) + "…"
  }
  return harmless(head.prefix(longest - 1)) + "…"
}

/// Printable ASCII except `?` and `#`.
private func isHarmless(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "?"), UInt8(ascii: "#"): false
  default: (0x20...0x7E).contains(byte)
  }
}

private func harmless(_ scalars: Substring.UnicodeScalarView) -> String {
  var text = ""
  for scalar in scalars { text.unicodeScalars.append(scalar.isInvisible ? "\u{FFFD}" : scalar) }
  return text
}
