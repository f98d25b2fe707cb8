internal import CIDN2

/// A host that is not ASCII.
package enum InternationalHost {
  /// The error for a host without a form in ASCII.
  package struct NotConvertible: Error, Equatable {
    package let host: String

    package init(host: String) { self.host = host }
  }

  /// The host in ASCII, in Punycode where necessary, as `URL(string:)` converts it (UTS #46, nontransitional).
  package static func ascii(_ host: String) throws(NotConvertible) -> String {
    var converted: UnsafeMutablePointer<CChar>?
    let flags = Int32(bitPattern: IDN2_NONTRANSITIONAL.rawValue)
    let status = unsafe idn2_to_ascii_8z(host, &converted, flags)
    defer { unsafe idn2_free(converted) }
    guard status == IDN2_OK.rawValue, let converted = unsafe converted else {
      throw NotConvertible(host: host)
    }
    let ascii = unsafe String(cString: converted)
    guard !ascii.hasPrefix("."), !ascii.contains("..") else { throw NotConvertible(host: host) }
    return ascii
  }

  /// The schemes whose hosts `URL(string:)` percent-encodes instead.
  package static let percentEncodingSchemes: Set = [
    "tel", "telemergencycall", "telprompt", "callto", "facetime", "facetime-prompt",
    "facetime-audio", "facetime-audio-prompt", "imap", "pop", "addressbook", "contact", "phasset",
    "http+unix", "https+unix", "ws+unix", "wss+unix",
  ]
}
