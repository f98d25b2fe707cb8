internal import BusContract
internal import DBus
internal import Glibc

/// Texts about a daemon that does not answer, for the waiting user.
enum SilentDaemon {
  /// Duration of a call and its connection after which the user is told.
  static let delay = Duration.seconds(5)
  /// Timeout for the answer to the test of the daemon, at the end of the delay.
  static let patience = Duration.seconds(1)

  /// - Parameters:
  ///   - process: the process at the other end of a direct connection; nil for a call over the bus.
  ///   - milliseconds: the timeout of the call; nil without one.
  static func remark(on process: UInt32?, _ milliseconds: Int32?) -> String {
    let wait =
      milliseconds.map { "waiting at most \(max(1, (Int($0) + 500) / 1000)) s" }
      ?? "waiting without a time limit"
    guard let process = process ?? owner() else {
      return "\(wait) for launchservicesd to start"
        + (StateFolder.ofProcess?.owner.map { "; \($0)" } ?? "")
    }
    return isStopped(process)
      ? "\(wait) for launchservicesd (process \(process)), which is stopped; to resume it: kill"
        + " -CONT \(process)"
      : "\(wait) for launchservicesd (process \(process)), which does not respond; see its log"
  }

  /// The process of the daemon, if it is stopped.
  /// - Parameter process: the process at the other end of a direct connection; nil for a call over the bus.
  static func stopped(_ process: UInt32?) -> UInt32? {
    guard let process = process ?? owner(), isStopped(process) else { return nil }
    return process
  }

  /// The process that owns the daemon's name on the session bus.
  private static func owner() -> UInt32? {
    guard let bus = DirectSocket(ProcessArguments.environment)?.bus,
      case .process(let process) = OwnerQuestion(Contract.busName, at: bus).answer()
    else { return nil }
    return process
  }

  /// Whether the process is stopped, by SIGSTOP or a debugger.
  private static func isStopped(_ process: UInt32) -> Bool {
    let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = unsafe read(file, &bytes, bytes.count)
    // The state follows the name, which is in parentheses and may contain any characters.
    guard let end = bytes.prefix(max(0, count)).lastIndex(of: UInt8(ascii: ")")),
      end + 2 < bytes.count
    else { return false }
    return "Tt".utf8.contains(bytes[end + 2])
  }
}

/// The time of one call, with its connection.
struct Wait {
  /// The timeout; nil for none.
  let milliseconds: Int32?
  private let start = Instant.now

  init(milliseconds: Int32?) { self.milliseconds = milliseconds }

  private var end: Instant? { milliseconds.map { start + .milliseconds($0) } }
  var isOver: Bool { end.map { $0 <= .now } ?? false }
  /// The rest of the timeout, in milliseconds; nil for none.
  var remaining: Int32? {
    end.map { max(1, Int32(clamping: Int((($0 - .now) / .milliseconds(1)).rounded(.up)))) }
  }
  /// The time until the user is told what the command waits for.
  var untilRemark: Duration { max(.zero, start + SilentDaemon.delay - .now) }

  /// The patience for a direct connection.
  /// - Parameter remark: receives a text that says what the command waits for.
  func patience(_ remark: @escaping (String) -> Void) -> HandshakePatience {
    HandshakePatience(limit: remaining.map { .milliseconds($0) }, remarkingAfter: untilRemark) {
      remark(SilentDaemon.remark(on: $0, milliseconds))
    }
  }
}
