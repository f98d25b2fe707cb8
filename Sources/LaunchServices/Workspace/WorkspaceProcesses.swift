internal import BusContract
internal import DBus
internal import Glibc

/// What can be asked of a process (R6.10). Each waits for the daemon, at most 5 s.
@MainActor extension Workspace.RunningApplication {
  /// It has ended, as far as the daemon knows.
  public var isTerminated: Bool { !Workspace.shared.runs(self) }

  /// Asks it to end, with SIGTERM, which it may ignore; one that is suspended gets it when it goes on.
  /// - Returns: false when it has ended already.
  @discardableResult public func terminate() -> Bool { Workspace.shared.signal(self, SIGTERM) }

  /// Ends it with SIGKILL.
  /// - Returns: false when it has ended already.
  @discardableResult public func forceTerminate() -> Bool { Workspace.shared.signal(self, SIGKILL) }

  /// Opens the application once more, so that it comes to the front if it likes to; it hears of that, as
  /// `applicationShouldHandleReopen`. Of several processes it is the first that does.
  /// - Returns: false when this one has ended already; what comes of it is not awaited.
  @discardableResult public func activate() -> Bool { Workspace.shared.activate(self) }

  /// Does nothing: windows are the application's own, and nobody on Linux hides those of another.
  /// - Returns: false.
  @discardableResult public func hide() -> Bool { false }

  /// As `hide()`.
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

  /// The number may be another process's by now: only one of the same application gets the signal.
  func signal(_ application: RunningApplication, _ number: Int32) -> Bool {
    runs(application) && kill(application.processIdentifier, number) == 0
  }

  func activate(_ application: RunningApplication) -> Bool {
    guard runs(application) else { return false }
    service.call(Contract.openApplication(application.bundleIdentifier), deadline: nil) { _ in }
    return true
  }
}
