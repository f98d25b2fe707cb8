internal import CHost

/// How a process ended.
package enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
  /// By itself, with a code from 0 to 255.
  case exited(code: Int32)
  /// By a signal.
  case signalled(number: Int32)
  /// It ended, but only its parent can know how.
  case unknown

  /// From the number that `waitpid` gives.
  init(waitStatus: Int32) {
    let signal = waitStatus & 0x7f
    self = signal == 0 ? .exited(code: (waitStatus >> 8) & 0xff) : .signalled(number: signal)
  }

  /// A phrase that follows the name of the process, such as `exited with code 3`.
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
