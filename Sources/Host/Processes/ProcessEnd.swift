internal import CHost

/// How a process ended.
package enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
  /// The process exited with a code from 0 to 255.
  case exited(code: Int32)
  /// A signal ended the process.
  case signalled(number: Int32)
  /// The process ended; its status is known only to its parent.
  case unknown

  /// Parses the status of `waitpid`.
  init(waitStatus: Int32) {
    let signal = waitStatus & 0x7f
    self = signal == 0 ? .exited(code: (waitStatus >> 8) & 0xff) : .signalled(number: signal)
  }

  /// A predicate for the process, such as `exited with code 3`.
  package var description: String {
    switch self {
    case .exited(let code): return "exited with code \(code)"
    case .signalled(let number):
      guard let name = unsafe chost_signal_name(number) else {
        return "was ended by signal \(number)"
      }
      return unsafe "was ended by SIG\(String(cString: name)) (signal \(number))"
    case .unknown: return "ended in an unknown way"
    }
  }
}
