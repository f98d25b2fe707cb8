internal import Host
internal import LaunchRules

/// The last process of each application of the desktop that got a URL, as far as the handler that passes URLs on knows the
/// process. The daemon neither starts nor observes these processes.
final class ReceivingProcesses {
  struct Receiver {
    var pid: Int32
    /// The start of the process, in microseconds since 1970.
    var since: UInt64
    /// Identifies the process together with its number, because numbers are reused.
    fileprivate var startTime: UInt64
  }

  private var receivers: [BundleIdentifier: Receiver] = [:]

  /// - Parameter pid: the number of a process that has just got a URL.
  func record(_ pid: Int32, of application: BundleIdentifier) {
    guard let process = ProcessDetails(of: pid) else { return }
    let now = UInt64(Time.wallClockNanoseconds() / 1000)
    let age = UInt64(max(0, process.age / .microseconds(1)))
    receivers[application] = Receiver(
      pid: pid, since: now - age, startTime: process.startTime)
  }

  /// Nil when no process is known that still runs.
  func receiver(of application: BundleIdentifier) -> Receiver? {
    guard let receiver = receivers[application] else { return nil }
    if let process = ProcessDetails(of: receiver.pid), !process.hasEnded,
      process.startTime == receiver.startTime
    {
      return receiver
    }
    receivers[application] = nil
    return nil
  }

  /// The applications whose process still runs, in the order of their identifiers.
  var applications: [BundleIdentifier] {
    receivers.keys.filter { receiver(of: $0) != nil }.sorted { $0.text < $1.text }
  }
}
