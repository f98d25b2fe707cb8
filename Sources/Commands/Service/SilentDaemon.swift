internal import BusContract
internal import DBus
internal import Glibc

/// Texts about a daemon that does not answer, for the waiting user.
enum SilentDaemon {
  /// Duration of a call and its connection after which the user is told.
  static let delay = Duration.seconds(5)
  /// Timeout for the answer to the test of the daemon, at the end of the delay.
  static let patience = Duration.seconds(1)

  /// Duration after which the daemon is tested.
  /// - Parameter waited: how long the connection took.
  static func delay(after waited: Duration) -> Duration { max(.zero, delay - patience - waited) }

  /// - Parameter connection: the direct connection; nil for a call over the bus.
  static func remark(on connection: Connection?) -> String {
    guard let process = connection?.peerProcess ?? owner() else {
      return "waiting for launchservicesd to start"
        + (StateFolder.ofProcess?.owner.map { "; \($0)" } ?? "")
    }
    return isStopped(process)
      ? "waiting for launchservicesd (process \(process)), which is stopped; to resume it: kill"
        + " -CONT \(process)"
      : "waiting for launchservicesd (process \(process)), which does not respond; see its log"
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
