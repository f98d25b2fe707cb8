/// Decides which application a caller is, for what it asks and for its check-in alike.
package enum CallerRule {
  /// What the kernel and the bus say about a caller. Who cannot find out all of it must not make one.
  package struct Evidence: Hashable, Sendable {
    /// The application that checked in on the connection.
    package var connection: BundleIdentifier?
    /// The application as which the very process checked in before, and which the daemon did not start.
    package var process: BundleIdentifier?
    /// What the process, or one it descends from, was started as.
    package var started: Started?
    /// The registered application that its systemd unit is named after, whoever started the unit.
    package var unit: Application?
    /// Set when it descends from the daemon and is no tool of the daemon: what that has started.
    package var descendant: Descendants?
    /// The only application that `descendant` names is the desktop bridge.
    package var descendsFromBridge = false
    package var executable = Executable.ofNobody
    /// The registered application that Flatpak made its sandbox for.
    package var sandbox: BundleIdentifier?

    package init() {}
  }

  /// A registered application; what the desktop bridge starts are the user's own programs.
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
    /// The caller is the process that was started, and not one that descends from it.
    package var isItself: Bool
    /// Known by its ancestors or its session; else by the unit that the daemon has started.
    package var isInTree: Bool

    package init(_ application: Application, isItself: Bool = false, isInTree: Bool = true) {
      self.application = application
      self.isItself = isItself
      self.isInTree = isInTree
    }

    /// It is a program of the user's own.
    package var isOfUser: Bool { application.isDesktopBridge && !isItself }
  }

  package enum Executable: Hashable, Sendable {
    case of(BundleIdentifier)
    case ofNobody
    /// It may be anybody's.
    case unreadable
  }

  /// Surest first.
  /// - Returns: nil when the caller may be an application, and it cannot be known which.
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
