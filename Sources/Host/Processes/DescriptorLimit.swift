internal import Glibc
internal import Synchronization

/// The limit of open file descriptors of this process.
package enum DescriptorLimit {
  /// The limit before `raise`, which child processes get.
  private static let before = Mutex<rlimit?>(nil)

  /// Raises the soft limit to the hard limit, because a session daemon needs more descriptors than a command.
  /// Child processes keep the old limit, because programs that use `select` fail with descriptors above
  /// 1,023.
  package static func raise() {
    guard var limit = current, limit.rlim_cur < limit.rlim_max else { return }
    before.withLock { $0 = $0 ?? limit }
    limit.rlim_cur = limit.rlim_max
    set(limit)
  }

  /// Whether fewer than `reserve` descriptors are free. Optional users of descriptors should then do without.
  package static func isNear(_ reserve: UInt) -> Bool {
    guard let limit = current?.rlim_cur else { return false }
    // Free numbers may be below used ones, so each number is looked at; poll(2) says in one call which of them are unused.
    var (first, free) = (Int32(0), UInt(0))
    while free < reserve, UInt(first) < UInt(limit) {
      let numbers = first..<Int32(min(UInt(limit), UInt(first) + 256))
      var polled = numbers.map { pollfd(fd: $0, events: 0, revents: 0) }
      guard unsafe poll(&polled, nfds_t(polled.count), 0) >= 0 else { return true }
      free += UInt(polled.count { $0.revents & Int16(POLLNVAL) != 0 })
      first = numbers.upperBound
    }
    return free < reserve
  }

  /// The number that direct connections and other conveniences leave to the identification of callers and to launches: 64,
  /// or a third of a small limit.
  package static var reserve: UInt { min(64, (current.map { UInt($0.rlim_cur) } ?? 192) / 3) }

  /// The soft limit before `raise`, for child processes; nil when it was not raised.
  static var ofChildren: UInt? { before.withLock { $0.map { UInt($0.rlim_cur) } } }

  private static var current: rlimit? {
    var limit = rlimit()
    return unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
  }

  private static func set(_ limit: rlimit) {
    var limit = limit
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
