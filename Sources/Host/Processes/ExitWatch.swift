internal import CHost
internal import Events
internal import Glibc

/// Reports once that a process has ended, whether or not this process started it.
///
/// A child of this process is reaped. For other processes only the end is known, so their status is
/// `unknown`. Process numbers are reused: to verify the identity of another process, compare its
/// `ProcessDetails.startTime` after the watch has begun.
@MainActor package final class ExitWatch {
  private var watch: DescriptorWatch?
  private var soon: Deadline?
  /// The name of a child of this process that has ended: that of the program that the child executed last, in at most 15
  /// bytes. Valid within `onExit`.
  package private(set) var lastName: String?

  /// Calls `onExit` once, later, even if the process has already ended.
  ///
  /// Throws when the process cannot be watched: no descriptor is free, or `pid` does not exist.
  package init(pid: Int32, onExit: @escaping @MainActor (ProcessEnd) -> Void) throws(Errno) {
    let told: @MainActor () -> Void = { [weak self] in
      guard let self, watch != nil || soon != nil else { return }
      // Until the child is reaped.
      lastName = ProcessDetails(of: pid, readingGroup: false)?.name
      guard let status = Self.status(of: pid) else { return }
      cancel()
      onExit(status)
    }
    let descriptor = chost_pidfd_open(pid)
    if descriptor >= 0 {
      watch = DescriptorWatch(closing: descriptor, told)
    } else if Errno.last == .noSuchProcess {
      soon = Deadline(after: .zero, told)
    } else {
      throw Errno.last
    }
  }

  /// Stops the watch; a child is then not reaped.
  package func cancel() {
    watch = nil
    soon = nil
  }

  /// Nil while the child runs.
  private static func status(of pid: Int32) -> ProcessEnd? {
    var status: Int32 = 0
    switch unsafe waitpid(pid, &status, WNOHANG) {
    case pid: return ProcessEnd(waitStatus: status)
    case 0: return nil
    default: return .unknown
    }
  }
}
