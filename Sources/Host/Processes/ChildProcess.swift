internal import Glibc

/// A process this one started, or an earlier run of this program did. It is reaped when it ends, even
/// when nobody holds this any more.
@MainActor package final class ChildProcess {
  package nonisolated let pid: Int32
  /// Nil while the process runs.
  package private(set) var status: ProcessEnd?
  private var watch: ExitWatch?
  /// The process group that belongs to the process; nil when it is in somebody else's.
  package nonisolated let processGroup: Int32?

  /// The children that run, so that each is reaped.
  private static var running: [Int32: ChildProcess] = [:]

  /// Somebody waits for the end of the process.
  static func isWatched(_ pid: Int32) -> Bool { running[pid] != nil }

  /// Starts a process; `onExit` is called once, later, when it has ended and was reaped.
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

  /// Takes over a process that an earlier run of this program started, or one that such a process has
  /// left its work to; how it ends is not known.
  ///
  /// Fails when the process is gone.
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
    // Asked when the watch holds on to the process, so that the number cannot be another's.
    guard ProcessDetails(of: pid)?.startTime == startTime else { throw .noSuchProcess }
    Self.running[pid] = self
  }

  /// The group that it leads, or that the process left to it which led its session.
  private nonisolated static func processGroup(of pid: Int32) -> Int32? {
    guard let details = ProcessDetails(of: pid) else { return nil }
    let group = details.processGroup
    guard group > 1, group != getpgrp() else { return nil }
    if group == pid { return group }
    return group == details.session && ProcessDetails(of: group) == nil ? group : nil
  }

  /// Sends a signal to the process; false when it has ended.
  @discardableResult package func signal(_ number: Int32) -> Bool {
    // The number may belong to somebody else as soon as the process was reaped.
    status == nil && kill(pid, number) == 0
  }

  /// Sends a signal to the process and the rest of its group; false when the process has ended.
  @discardableResult package func signalGroup(_ number: Int32) -> Bool {
    status == nil && kill(processGroup.map { -$0 } ?? pid, number) == 0
  }
}
