/// The singleton of Chromium and Electron: a socket in the folder of the profiles, which takes a command line.
package enum ChromiumSingleton {
  /// The symbolic links of the folder: to `HOST-PID`, to a number that stands beside the socket, too, and to the socket.
  package static let (lock, cookie, socket) = (
    "SingletonLock", "SingletonCookie", "SingletonSocket"
  )
  /// The beginnings of options with which another instance than that of the folder gets the URL.
  private static let otherInstances = [
    "--user-data-dir", "--temp-profile", "--headless", "--type", "--debug", "-g",
  ]

  static func allows(_ options: [String]) -> Bool {
    !options.contains { option in otherInstances.contains(where: option.hasPrefix) }
  }

  /// Maximum length of a message, in bytes. Chromium reads at most 32 KiB.
  static let longest = 30 << 10

  /// The process that a lock names; nil for a lock of another machine, whose home folder is shared.
  package static func process(in lock: String, host: String) -> Int32? {
    guard let mark = lock.lastIndex(of: "-"), lock[..<mark] == host,
      let pid = Int32(lock[lock.index(after: mark)...]), pid > 0
    else { return nil }
    return pid
  }

  /// `START`, the working directory and the arguments, with zero bytes between. Nil when the URL cannot be sent, or may
  /// be changed on the way.
  /// - Parameter countsArguments: whether the number of arguments stands before them, as Electron expects. Chromium
  ///   would take the number for its program.
  static func message(
    for subject: HandOverProtocol.Subject, countsArguments: Bool = false
  ) -> [UInt8]? {
    guard var arguments = subject.commandLine, !arguments.isEmpty,
      subject.url.last?.isWhitespace == false
    else {
      return nil
    }
    if let token = subject.activationToken {
      arguments.insert("--xdg-activation-token=\(token)", at: 1)
    }
    let count = countsArguments ? ["\(arguments.count)"] : []
    let texts = ["START", subject.folder] + count + arguments
    guard !texts.contains(where: { $0.utf8.contains(0) }) else { return nil }
    let bytes = Array(texts.joined(separator: "\0").utf8)
    return bytes.count <= longest ? bytes : nil
  }

  static func verdict(on answer: [UInt8]) -> HandOverProtocol.Verdict {
    if answer.starts(with: "ACK".utf8) { return .taken(.handedOver) }
    if answer.starts(with: "SHUTDOWN".utf8) { return .ending }
    return .unknown
  }
}
