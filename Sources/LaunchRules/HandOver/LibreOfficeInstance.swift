/// The single instance of LibreOffice: a socket named after the user and the profile. LibreOffice greets, takes a command
/// line, and answers when the command line is processed, whatever became of the URL.
package enum LibreOfficeInstance {
  /// The name of the socket in the folder for temporary files.
  /// - Parameters:
  ///   - checksum: the MD5 checksum of the URL of the profile in UTF-16, the lower byte first.
  package static func socketName(user: UInt32, checksum: [UInt8]) -> String {
    // The digits of a byte below 16 have no zero before them.
    "OSL_PIPE_\(user)_SingleOfficeIPC_" + checksum.map { String($0, radix: 16) }.joined()
  }

  static let greeting = Array("InternalIPC::SendArguments\0".utf8)
  private static let done = Array("InternalIPC::ProcessingDone".utf8)
  /// Maximum length of a message, in bytes.
  static let longest = 30 << 10

  /// The URL as the only argument, without a working folder. Nil when the URL is too long.
  static func message(for subject: HandOverProtocol.Subject) -> [UInt8]? {
    var bytes = Array("InternalIPC::Arguments0,".utf8)
    for byte in subject.url.utf8 {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0: return nil
      default: bytes.append(byte)
      }
    }
    bytes.append(0)
    return bytes.count <= longest ? bytes : nil
  }

  /// The length of the answer; nil while it is not complete.
  static func end(of answer: [UInt8]) -> Int? { answer.firstIndex(of: 0).map { $0 + 1 } }

  static func verdict(on answer: [UInt8]) -> HandOverProtocol.Verdict {
    answer.starts(with: done) ? .taken(.handedOver) : .unknown
  }
}
