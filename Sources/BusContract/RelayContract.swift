package import DBus

/// The protocol between the daemon and `lsopen --stdio` on another machine, over the standard streams of ssh.
///
/// `lsopen --stdio` prints a greeting when its own daemon answers. Then it reads calls, as marshalled messages of D-Bus,
/// and writes their replies. Without a greeting nothing was sent. A call without a reply may have had an effect: then
/// `RequestFate`, or the same call with `repeated`, is asked on a new connection.
package enum RelayContract {
  /// The line before the first reply. Login scripts may print lines before it.
  package static let greeting = "launch-services-relay 1 ready"
  /// The beginning of the line in place of the greeting; the reason follows.
  package static let refusal = "launch-services-relay 1 refused: "

  /// The methods of Workspace1 that are relayed.
  package static let methods: Set = ["OpenURL", "RequestFate"]

  /// Maximum size of a message, in bytes.
  package static let mostMessageBytes = 4 << 20
  /// Maximum size of what login scripts print, in bytes.
  static let mostNoise = 1 << 16

  package static func mayRelay(_ message: borrowing Message) -> Bool {
    guard message.kind == .methodCall, message.interface == Contract.workspace.text,
      message.path == Contract.objectPath.text, !message.hasDescriptors,
      let member = message.member
    else { return false }
    return methods.contains(member)
  }
}

/// What a relay has printed.
package struct RelayOutput {
  package enum Event: Equatable {
    /// Calls may be written.
    case ready
    /// There is no daemon there, for this reason.
    case refused(String)
    case reply(Result<[Value], BusError>)
    /// The output is not that of a relay.
    case unusable
  }

  /// The line before the greeting that is not complete; nil after the greeting.
  private var line: [UInt8]? = []
  private var noise = 0
  private var messages = MessageStream(atMost: RelayContract.mostMessageBytes)

  package init() {}

  /// Adds bytes, and returns what they complete.
  package mutating func add(_ bytes: some Sequence<UInt8>) -> [Event] {
    var events: [Event] = []
    var rest = Array(bytes)[...]
    while var line {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
        line += rest
        noise += rest.count
        self.line = line
        return noise > RelayContract.mostNoise ? [.unusable] : events
      }
      line += rest[..<end]
      noise += rest[...end].count
      rest = rest[(end + 1)...]
      let text = String(decoding: line, as: UTF8.self)
      self.line = []
      if text == RelayContract.greeting {
        self.line = nil
        events.append(.ready)
      } else if text.hasPrefix(RelayContract.refusal) {
        return [.refused(String(text.dropFirst(RelayContract.refusal.count)))]
      }
    }
    messages.add(rest)
    while true {
      switch messages.next() {
      case .incomplete: return events
      case .unusable: return events + [.unusable]
      case .message(let message): events.append(.reply(message.result))
      }
    }
  }
}
