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
  /// Maximum size of a reply, in bytes.
  static let mostReplyBytes = 256 << 10
  /// Maximum size of what login scripts print before the greeting, in bytes.
  package static let mostNoise = 64 << 10
  /// Maximum number of lines that login scripts print before the greeting. Each line is looked at.
  static let mostNoiseLines = 1024

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
    /// The output is not that of a relay. The text completes `the other side`.
    case unusable(String)
  }

  /// The line before the greeting that is not complete; nil after the greeting.
  private var line: [UInt8]? = []
  private var noise = 0
  private var lines = 0
  private var messages = MessageStream(atMost: RelayContract.mostReplyBytes)
  private static let greeting = Array(RelayContract.greeting.utf8)
  private static let refusal = Array(RelayContract.refusal.utf8)

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
        return noise > RelayContract.mostNoise ? [Self.tooMuchNoise] : events
      }
      line += rest[..<end]
      noise += rest[...end].count
      rest = rest[(end + 1)...]
      self.line = []
      if line == Self.greeting {
        self.line = nil
        events.append(.ready)
        continue
      }
      if line.starts(with: Self.refusal) {
        return [.refused(String(decoding: line.dropFirst(Self.refusal.count), as: UTF8.self))]
      }
      lines += 1
      if noise > RelayContract.mostNoise || lines > RelayContract.mostNoiseLines {
        return [Self.tooMuchNoise]
      }
    }
    messages.add(rest)
    while true {
      switch messages.next() {
      case .incomplete: return events
      case .unusable: return events + [Self.noAnswer]
      case .message(let message):
        let result = message.result(atMost: RelayContract.mostReplyBytes)
        if case .failure(.replyTooLarge) = result { return events + [Self.noAnswer] }
        events.append(.reply(result))
      }
    }
  }

  private static let tooMuchNoise = Event.unusable(
    "wrote more than \(RelayContract.mostNoise >> 10) KiB or \(RelayContract.mostNoiseLines) lines that are no answer of"
      + " lsopen")
  private static let noAnswer = Event.unusable(
    "wrote something that is no answer of lsopen, or more than \(RelayContract.mostReplyBytes >> 10) KiB"
  )
}
