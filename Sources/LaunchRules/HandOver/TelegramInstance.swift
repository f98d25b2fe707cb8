/// The single instance of Telegram Desktop: a socket named after the working folder, which takes commands and answers
/// with the number of the process before the URL is looked at.
package enum TelegramInstance {
  private static let mark = "{87A94AB0-E370-4cde-98D3-ACC110C5967D}"

  /// The name of the socket in the folder for temporary or for runtime files.
  /// - Parameter checksum: the MD5 checksum of the absolute path of the working folder.
  package static func socketName(checksum: [UInt8]) -> String {
    checksum.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "-" + mark
  }

  /// Maximum length of a message, in bytes. Telegram cuts a longer URL.
  static let longest = 8192

  /// Nil when the URL is too long.
  static func message(for subject: HandOverProtocol.Subject) -> [UInt8]? {
    let bytes = Array("OPEN:\(escaped(subject.url));".utf8)
    return bytes.count <= longest ? bytes : nil
  }

  /// Each character that is not printable ASCII, `%`, and `;`, which ends the command, as `%` and four hexadecimal digits
  /// for each unit of UTF-16.
  private static func escaped(_ url: String) -> String {
    url.utf16.map { unit in
      guard (0x20...0x7e).contains(unit), let scalar = Unicode.Scalar(unit),
        scalar != "%", scalar != ";"
      else {
        let digits = String(unit, radix: 16, uppercase: true)
        return "%" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      return String(Character(scalar))
    }.joined()
  }

  /// The length of the answer `RES:PROCESS_WINDOW;`; nil while it is not complete.
  static func end(of answer: [UInt8]) -> Int? {
    answer.firstIndex(of: UInt8(ascii: ";")).map { $0 + 1 }
  }

  static func verdict(on answer: [UInt8]) -> HandOverProtocol.Verdict {
    answer.starts(with: "RES:".utf8) && end(of: answer) != nil ? .taken(.handedOver) : .unknown
  }
}
