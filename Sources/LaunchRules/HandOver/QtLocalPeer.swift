/// The socket of QtSingleApplication and of its copies in applications: a text, which is acknowledged before the
/// application handles the text.
enum QtLocalPeer {
  /// Maximum length of a message, in bytes.
  static let longest = 30 << 10

  /// The length of the URL in four bytes, the highest first, and the URL. Nil when the URL is too long, or has a character
  /// that URLs may not have and that some applications take for the end of an argument.
  static func message(for subject: HandOverProtocol.Subject) -> [UInt8]? {
    let bytes = Array(subject.url.utf8)
    guard bytes.count <= longest, !bytes.contains(UInt8(ascii: "|")), !bytes.contains(0) else {
      return nil
    }
    let length = UInt32(bytes.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + bytes
  }

  static func verdict(on answer: [UInt8]) -> HandOverProtocol.Verdict {
    answer.starts(with: "ack".utf8) ? .taken(.handedOver) : .unknown
  }
}
