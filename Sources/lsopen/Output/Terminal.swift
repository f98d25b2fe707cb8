internal import BusContract
internal import Commands
internal import DBus
internal import Glibc

/// Asks the user at the terminal to confirm an open.
final class Terminal {
  /// The path of the object that the daemon calls.
  static let path: ObjectPath = "/org/launchservices/Terminal"

  private let descriptor: Int32
  /// A question without an answer in time. The open is cancelled, which settles the question.
  private var unanswered: PendingCall?

  /// Nil unless this process is in the foreground of its terminal.
  init?() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    guard tcgetpgrp(descriptor) == getpgrp() else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  /// Answers a call of the daemon. A question that the bus interrupts needs no answer.
  /// - Parameter milliseconds: remaining time for the open; nil without limit.
  func answer(_ call: PendingCall, on connection: Connection, within milliseconds: Int32?) {
    guard call.path == Self.path.text, call.interface == Contract.confirmationAgent.text,
      call.member == "Confirm"
    else {
      return call.member == "Withdraw"
        ? call.succeed() : call.fail(.failed("\(call.member) is unknown"))
    }
    let options = call.arguments().first?.asOptions ?? [:]
    let question = options[Key.question]?.asString ?? "Open it?"
    let mayBeRemembered = options[Key.mayBeRemembered]?.asBoolean ?? true
    write("\(question.visible) [y]es, [n]o\(mayBeRemembered ? ", [a]lways, ne[v]er" : ""): ")
    switch connection.waitForInput(besides: descriptor, milliseconds: milliseconds) {
    case .descriptor: break
    case .bus:
      write("\n")
      return call.fail(.failed("the question was withdrawn"))
    case .none:
      write("\n")
      unanswered = call
      return
    }
    let answer = Answer(readLine(), mayBeRemembered: mayBeRemembered)
    call.succeed([
      .options([
        Key.allowed: .boolean(answer.isAllowed), Key.remember: .boolean(answer.isRemembered),
      ])
    ])
  }

  /// The typed answer; anything except a clear yes is a no, also an answer that is not offered.
  struct Answer: Equatable {
    let isAllowed: Bool
    let isRemembered: Bool

    init(_ line: String, mayBeRemembered: Bool) {
      let word = line.lowercased().filter { !$0.isWhitespace }
      let isAlways = mayBeRemembered && ["a", "always"].contains(word)
      isAllowed = isAlways || ["y", "yes"].contains(word)
      isRemembered = isAlways || mayBeRemembered && ["v", "never"].contains(word)
    }
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }

  private func readLine() -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
