/// Why a call was not sent to a machine that ssh reaches.
package enum UnsentReason: Hashable, Sendable {
  /// ssh cannot run on this machine.
  case noClient(String)
  /// ssh has ended, or cannot connect; in its words.
  case noConnection(String)
  /// The shell there has not found `lsopen`.
  case noCommand
  /// `lsopen` there has reached no daemon; in its words.
  case noDaemon(String)
  /// `lsopen` there was not heard of in time.
  case noGreeting(seconds: Int)
  /// The other side has written something else than the protocol of `lsopen --stdio`; see `RelayOutput`.
  case noProtocol(String)
  /// Other calls use all connections to the machine.
  case busy(connections: Int, seconds: Int)

  /// What has happened, without the machine and the next step.
  package var words: String {
    switch self {
    case .noClient(let why), .noConnection(let why), .noDaemon(let why): why
    case .noCommand: "lsopen is not installed there"
    case .noGreeting(let seconds): "there was no answer within \(seconds) s"
    case .noProtocol(let why): "the other side \(why)"
    case .busy(let connections, let seconds):
      "\(connections) opens wait for an answer, and none has ended within \(seconds) s"
    }
  }

  /// The command lines that copy `lsopen` to a machine.
  /// - Parameter machine: the words that ssh takes: options and the name of the machine.
  package static func copyingCommand(to machine: String) -> String {
    "ssh \(machine) 'mkdir -p .local/bin && cat >.local/bin/lsopen && chmod +x .local/bin/lsopen'"
      + " <\"$(command -v lsopen)\""
  }

  /// A sentence with the machine that failed and the next step, without its full stop.
  /// - Parameter machine: the name of the machine, as ssh takes it.
  package func sentence(about machine: String) -> String {
    switch self {
    case .noClient:
      "ssh cannot be started on this machine, so nothing was sent to \(machine): \(words)"
    case .noConnection:
      "\(machine) cannot be reached by ssh, so nothing was sent: \(words); this must work without a question: ssh -o"
        + " BatchMode=yes \(machine) true"
    case .noCommand:
      "on \(machine), ssh found no lsopen in PATH, ~/.local/bin and /usr/local/bin, so nothing was sent; copy it:"
        + " \(Self.copyingCommand(to: machine))"
    case .noDaemon:
      "on \(machine), lsopen reached no launchservicesd, so nothing was sent; lsopen on \(machine) says: \(words)"
    case .noGreeting:
      "\(machine) did not answer by ssh, so nothing was sent: \(words); this must end soon: ssh -o BatchMode=yes"
        + " \(machine) true"
    case .noProtocol:
      "\(machine) did not answer, so nothing was sent: \(words); see what the login scripts there print: ssh"
        + " \(machine) true"
    case .busy:
      "nothing was sent to \(machine): \(words); end them, or try again later"
    }
  }
}
