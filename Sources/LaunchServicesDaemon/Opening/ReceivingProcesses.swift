internal import Host
internal import LaunchRules
internal import PropertyLists

/// The last process of each application of the desktop that got a URL, as far as the handler that passes URLs on knows the
/// process. The daemon neither starts nor observes these processes. The next daemon reads them from a file.
final class ReceivingProcesses {
  struct Receiver: Codable, Equatable {
    var pid: Int32
    /// The start of the process, in microseconds since 1970.
    var since: UInt64
    /// Identifies the process together with its number, because numbers are reused.
    fileprivate var startTime: UInt64

    fileprivate func isSameProcess(as other: Receiver) -> Bool {
      pid == other.pid && startTime == other.startTime
    }
  }

  /// The contents of the file.
  private struct Stored: Codable {
    /// The run of the kernel that the numbers belong to.
    var boot: String
    var receivers: [String: Receiver]
  }

  private var receivers: [BundleIdentifier: Receiver] = [:]
  private let path: String
  private static let largest = 1 << 20

  /// - Parameter path: of the file, which need not exist.
  init(path: String) {
    self.path = path
    let bytes = try? RegularFile.readOwn(path, atMost: Self.largest)
    guard let stored = bytes.flatMap({ try? OwnPropertyList.decode(Stored.self, from: $0) }),
      stored.boot == ProcessDetails.boot
    else { return }
    for (text, receiver) in stored.receivers {
      if let identifier = BundleIdentifier(text) { receivers[identifier] = receiver }
    }
  }

  /// - Parameter pid: the number of a process that has just got a URL.
  func record(_ pid: Int32, of application: BundleIdentifier) {
    guard let process = ProcessDetails(of: pid) else { return }
    let now = UInt64(Time.wallClockNanoseconds() / 1000)
    let age = UInt64(max(0, process.age / .microseconds(1)))
    let receiver = Receiver(pid: pid, since: now - age, startTime: process.startTime)
    guard receivers[application].map({ !$0.isSameProcess(as: receiver) }) ?? true else { return }
    receivers[application] = receiver
    store()
  }

  /// What cannot be stored is unknown to the next daemon until the next URL.
  private func store() {
    let living = applications.compactMap { identifier in
      receivers[identifier].map { (identifier.text, $0) }
    }
    let stored = Stored(
      boot: ProcessDetails.boot, receivers: Dictionary(living) { first, _ in first })
    try? AtomicFile.write(
      OwnPropertyList.encode(stored, isBinary: false), to: path, surviving: .processes)
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
