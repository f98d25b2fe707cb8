/// Decides which application a caller is, for all calls including check-ins.
package enum CallerRule {
  /// The facts of the kernel and the bus about a caller. Create an instance only when all of them are known.
  package struct Evidence: Hashable, Sendable {
    /// The application that checked in on the connection.
    package var connection: BundleIdentifier?
    /// The application for which the same process checked in before, if the daemon did not start the process.
    package var process: BundleIdentifier?
    /// The launch that the process, or one of its ancestors, comes from.
    package var started: Started?
    /// The registered application in the name of the systemd unit, regardless of what started the unit.
    package var unit: Application?
    /// Set for a descendant of the daemon that is not a tool of the daemon: the applications that the daemon
    /// has started.
    package var descendant: Descendants?
    /// Whether the desktop bridge is the only application in `descendant`.
    package var descendsFromBridge = false
    package var executable = Executable.ofNobody
    /// The registered application that Flatpak created the sandbox for.
    package var sandbox: BundleIdentifier?

    package init() {}
  }

  /// A registered application. Programs that the desktop bridge starts are the user's own.
  package struct Application: Hashable, Sendable {
    package var identifier: BundleIdentifier
    package var isDesktopBridge: Bool

    package init(_ identifier: BundleIdentifier, isDesktopBridge: Bool = false) {
      self.identifier = identifier
      self.isDesktopBridge = isDesktopBridge
    }
  }

  package struct Started: Hashable, Sendable {
    package var application: Application
    /// Whether the caller is the started process itself and not a descendant.
    package var isItself: Bool
    /// Whether ancestors or session identify the process; otherwise the unit that the daemon started.
    package var isInTree: Bool

    package init(_ application: Application, isItself: Bool = false, isInTree: Bool = true) {
      self.application = application
      self.isItself = isItself
      self.isInTree = isInTree
    }

    /// Whether the caller is a program of the user.
    package var isOfUser: Bool { application.isDesktopBridge && !isItself }
  }

  package enum Executable: Hashable, Sendable {
    case of(BundleIdentifier)
    case ofNobody
    /// The executable cannot be read; any program is possible.
    case unreadable
  }

  /// Identifies the caller by the most reliable evidence.
  /// - Returns: nil when the caller may be an application that cannot be determined.
  package static func caller(_ evidence: Evidence) -> Caller? {
    if let own = evidence.connection { return .application(own, .checkedIn) }
    if let own = evidence.process { return .application(own, .process) }
    if let started = evidence.started, !started.isOfUser {
      return .application(
        started.application.identifier, started.isInTree ? .processTree : .unit)
    }
    if let unit = evidence.unit, !unit.isDesktopBridge {
      return .application(unit.identifier, .unit)
    }
    if evidence.started == nil, !evidence.descendsFromBridge, let descendant = evidence.descendant,
      descendant != .ofNobody
    {
      return descendant.caller
    }
    switch evidence.executable {
    case .of(let own): return .application(own, .executable)
    case .unreadable: return nil
    case .ofNobody: return evidence.sandbox.map { .application($0, .sandbox) } ?? .unidentified
    }
  }
}
