internal import Glibc

/// A process that this program, or an earlier run of it, started. It is reaped when it ends, even after the
/// last reference to this object was released.
@MainActor package final class ChildProcess {
  package nonisolated let pid: Int32
  /// Nil while the process runs.
  package private(set) var status: ProcessEnd?
  private var watch: ExitWatch?
  /// The process group that the process leads; nil when it is in another group.
  package nonisolated let processGroup: Int32?

  /// The running children, which must be reaped.
  private static var running: [Int32: ChildProcess] = [:]

  /// Whether a watch waits for the end of the process.
  static func isWatched(_ pid: Int32) -> Bool { running[pid] != nil }

  /// Starts a process. Calls `onExit` once, later, after the process was reaped.
  package init(
    _ launch: Launch, onExit: @escaping @MainActor (ProcessEnd) -> Void
  ) throws(SpawnError) {
    let pid = try spawn(launch)
    self.pid = pid
    processGroup = pid
    do throws(Errno) {
      watch = try ExitWatch(pid: pid) { status in
        let child = Self.running.removeValue(forKey: pid)
        child?.status = status
        child?.watch = nil
        onExit(status)
      }
    } catch {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw .cannotWatch(executable: launch.executable, error)
    }
    Self.running[pid] = self
  }

  /// Adopts a process that an earlier run of this program started, or a descendant of one; its exit status is
  /// unknown.
  ///
  /// Fails when the process has ended.
  package init(
    adopting pid: Int32, startTime: UInt64, onExit: @escaping @MainActor (ProcessEnd) -> Void
  ) throws(Errno) {
    self.pid = pid
    processGroup = Self.processGroup(of: pid)
    watch = try ExitWatch(pid: pid) { status in
      let process = Self.running.removeValue(forKey: pid)
      process?.status = status
      process?.watch = nil
      onExit(status)
    }
    // Checked after the watch has opened the process, so that the PID cannot have been reused.
    guard ProcessDetails(of: pid)?.startTime == startTime else { throw .noSuchProcess }
    Self.running[pid] = self
  }

  /// The process group that the process leads, or that it inherited from its session leader.
  private nonisolated static func processGroup(of pid: Int32) -> Int32? {
    guard let details = ProcessDetails(of: pid) else { return nil }
    let group = details.processGroup
    guard group > 1, group != getpgrp() else { return nil }
    if group == pid { return group }
    return group == details.session && ProcessDetails(of: group) == nil ? group : nil
  }

  /// Whether a signal has stopped the process since the last call.
  package var wasStopped: Bool {
    guard status == nil else { return false }
    var stop = unsafe siginfo_t()
    // `si_signo` is not 0 when there was one.
    let result = unsafe waitid(P_PID, id_t(pid), &stop, WSTOPPED | WNOHANG)
    return unsafe result == 0 && stop.si_signo != 0
  }

  /// Sends a signal to the process. Returns false when it has ended.
  @discardableResult package func signal(_ number: Int32) -> Bool {
    // The PID may be reused as soon as the process was reaped.
    status == nil && kill(pid, number) == 0
  }

  /// Sends a signal to the process and its group. Returns false when the process has ended.
  @discardableResult package func signalGroup(_ number: Int32) -> Bool {
    status == nil && kill(processGroup.map { -$0 } ?? pid, number) == 0
  }
}

extension ChildProcess {
  /// Runs a program to its end.
  /// - Parameter time: the time after which the processes of its process group are killed. A process that waits for a
  ///   file system may end much later, so the end counts as that of the signal after another second.
  /// - Parameter started: gets the number of the process.
  package static func run(
    _ launch: Launch, atMost time: Duration, started: (Int32) -> Void = { _ in }
  ) async throws(SpawnError) -> ProcessEnd {
    let end = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<ProcessEnd, SpawnError>, Never>) in
      var limit: Deadline?
      var isOver = false
      let finish = { @MainActor (end: ProcessEnd) in
        guard !isOver else { return }
        isOver = true
        limit?.cancel()
        continuation.resume(returning: .success(end))
      }
      do throws(SpawnError) {
        let process = try ChildProcess(launch, onExit: finish)
        started(process.pid)
        limit = Deadline(after: time) {
          process.signalGroup(SIGKILL)
          limit = Deadline(after: .seconds(1)) { finish(.signalled(number: SIGKILL)) }
        }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try end.get()
  }
}
