internal import BusContract
internal import DBus
internal import Glibc

/// Queries and signals of a process (R6.10). Each blocks until the daemon answers, at most 5 s.
@MainActor extension Workspace.RunningApplication {
  /// Whether the process has ended, as far as the daemon knows.
  public var isTerminated: Bool { !Workspace.shared.runs(self) }

  /// Sends SIGTERM, which the process may ignore; a suspended process receives it when it is resumed.
  /// - Returns: false when the process has ended.
  @discardableResult public func terminate() -> Bool { Workspace.shared.signal(self, SIGTERM) }

  /// Sends SIGKILL.
  /// - Returns: false when the process has ended.
  @discardableResult public func forceTerminate() -> Bool { Workspace.shared.signal(self, SIGKILL) }

  /// Opens the application again, which calls `applicationShouldHandleReopen` in its first process; the
  /// application may then come to the front. Does not wait for that.
  /// - Returns: false when this process has ended.
  @discardableResult public func activate() -> Bool { Workspace.shared.activate(self) }

  /// Does nothing: on Linux an application cannot hide the windows of another.
  /// - Returns: false.
  @discardableResult public func hide() -> Bool { false }

  /// Does nothing, as `hide()`.
  /// - Returns: false.
  @discardableResult public func unhide() -> Bool { false }
}

extension Workspace {
  func runs(_ application: RunningApplication) -> Bool {
    application.processIdentifier > 0
      && runningApplications.contains {
        $0.processIdentifier == application.processIdentifier
          && $0.bundleIdentifier == application.bundleIdentifier
      }
  }

  /// Sends the signal only while the daemon lists the process, because its PID may have been reused.
  func signal(_ application: RunningApplication, _ number: Int32) -> Bool {
    runs(application) && kill(application.processIdentifier, number) == 0
  }

  func activate(_ application: RunningApplication) -> Bool {
    guard runs(application) else { return false }
    service.call(Contract.openApplication(application.bundleIdentifier), deadline: nil) { _ in }
    return true
  }
}
