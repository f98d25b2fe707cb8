/// Decides when a port of this machine is no longer needed at which a program waits for the end of a login.
package struct PortWatch {
  package enum Verdict: String, Hashable, Sendable {
    case wait
    /// A browser has connected, and all its connections have ended.
    case answered
    /// The program has closed the port or has ended, or it never listened.
    case closed
  }

  /// What the kernel says about the port at one time. A connection is named by its two addresses.
  package struct Look: Hashable, Sendable {
    var isListening = false
    var open: Set<String> = []
    /// Connections that have ended, which the kernel remembers for a minute.
    var ended: Set<String> = []
  }

  /// Milliseconds between two looks.
  package static let interval = 200
  /// Looks without a connection after which a login is over. A browser may close a first connection without a request.
  package static let quietLooks = 10
  /// Looks without a program that listens after which the port is closed.
  package static let closedLooks = 3
  /// The same for a program that has not listened yet.
  package static let startLooks = 50

  /// Whether one answer is the end. A page at the port itself may need more.
  private let endsWithAnswer: Bool
  private var known: Set<String>?
  private var hasListened = false
  private var hasConnected = false
  private var quiet = 0
  private var closed = 0

  package init(endsWithAnswer: Bool) { self.endsWithAnswer = endsWithAnswer }

  package mutating func verdict(after look: Look) -> Verdict {
    // Connections of an earlier login at the same port do not count.
    let known = self.known ?? look.ended
    self.known = known
    if !look.open.isEmpty || !look.ended.subtracting(known).isEmpty { hasConnected = true }
    hasListened = hasListened || look.isListening
    closed = look.isListening ? 0 : closed + 1
    quiet = look.open.isEmpty && hasConnected ? quiet + 1 : 0
    if closed >= (hasListened ? Self.closedLooks : Self.startLooks) { return .closed }
    return endsWithAnswer && quiet >= Self.quietLooks ? .answered : .wait
  }
}

extension PortWatch.Look {
  private static let listening = "0A"
  private static let timeWait = "06"

  /// - Parameters:
  ///   - table: lines of `/proc/net/tcp` and `/proc/net/tcp6`.
  ///   - port: of the program.
  package init(_ table: some Sequence<some StringProtocol>, port: UInt16) {
    for line in table {
      // sl local_address rem_address st; addresses are ADDRESS:PORT in hexadecimal digits.
      let words = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: true)
      guard words.count > 3, let own = Self.port(words[1]), let other = Self.port(words[2]),
        own == port || other == port
      else { continue }
      let name = "\(words[1]) \(words[2])"
      switch String(words[3]) {
      case Self.listening: isListening = isListening || own == port
      // The end that closes first remembers the connection.
      case Self.timeWait: ended.insert(name)
      default: if own == port { open.insert(name) }
      }
    }
  }

  private static func port(_ address: some StringProtocol) -> UInt16? {
    address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
  }
}
