internal import CHost
internal import Dispatch
internal import Glibc

/// Tells once that a process has ended, whoever started it.
///
/// A child of this process is reaped on the way. Of other processes only the end is known, so
/// their status is `unknown`. A process number may be used again later: to be sure of another's
/// process, compare its `ProcessDetails.startTime` after the watch has begun.
@MainActor package final class ExitWatch {
  private let source: any DispatchSourceProtocol

  /// `onExit` is called once, later, even when the process has ended already.
  ///
  /// Throws when Linux cannot watch the process: no descriptors are left, or `pid` is no process.
  package init(pid: Int32, onExit: @escaping @MainActor (ProcessEnd) -> Void) throws(Errno) {
    source = try Self.source(for: pid)
    source.setEventHandler { [weak self] in
      MainActor.assumeIsolated {
        guard let self, !self.source.isCancelled, let status = Self.status(of: pid) else { return }
        self.source.cancel()
        onExit(status)
      }
    }
    source.activate()
  }

  /// From now on nothing is told, and a child is not reaped.
  package func cancel() { source.cancel() }

  isolated deinit { source.cancel() }

  /// Fires when the process has ended; at once when it is gone already.
  private static func source(for pid: Int32) throws(Errno) -> any DispatchSourceProtocol {
    let descriptor = chost_pidfd_open(pid)
    guard descriptor >= 0 else {
      let reason = Errno.last
      guard reason == .noSuchProcess else { throw reason }
      let timer = DispatchSource.makeTimerSource(queue: .main)
      timer.schedule(deadline: .now())
      return timer
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setCancelHandler { close(descriptor) }
    return source
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
