internal import Glibc
internal import Synchronization

/// How many descriptors this process may have.
package enum DescriptorLimit {
  /// What it was before `raise`; children are started with this again.
  private static let before = Mutex<rlimit?>(nil)

  /// As many as the hard limit allows. What runs for a session has more to do than one command, and programs that
  /// use `select` break beyond 1,024, so that children do not get it.
  package static func raise() {
    guard var limit = current, limit.rlim_cur < limit.rlim_max else { return }
    before.withLock { $0 = $0 ?? limit }
    limit.rlim_cur = limit.rlim_max
    set(limit)
  }

  /// True when fewer than `reserve` are left: who can do without a descriptor is to leave them to others.
  package static func isNear(_ reserve: UInt) -> Bool {
    guard let limit = current else { return false }
    // The lowest that is free.
    let probe = fcntl(0, F_DUPFD_CLOEXEC, 0)
    guard probe >= 0 else { return errno == EMFILE || errno == ENFILE }
    close(probe)
    return UInt(probe) + reserve >= limit.rlim_cur
  }

  /// Calls `body`, which starts a process, with the limit of before. Nothing that is open is closed by that.
  static func asBefore<Result>(_ body: () -> Result) -> Result {
    before.withLock { before in
      guard let before, let raised = current else { return body() }
      set(rlimit(rlim_cur: min(before.rlim_cur, raised.rlim_max), rlim_max: raised.rlim_max))
      defer { set(raised) }
      return body()
    }
  }

  private static var current: rlimit? {
    var limit = rlimit()
    return unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
  }

  private static func set(_ limit: rlimit) {
    var limit = limit
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
