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
    /// Whether the process belongs to a terminal, in which the user runs programs.
    package var hasTerminal = false
    /// The remote whose socket the connection was made to. The process behind it is unknown.
    package var remote: RemoteName?
    /// Set when the process is not a program of the user's session.
    package var outsider: Outsider?

    package init() {}
  }

  /// A registered application.
  package struct Application: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// An application with a property list.
      case own
      /// The desktop bridge, which starts programs of the user.
      case desktopBridge
      /// An application of a desktop entry.
      /// - Parameter isTerminal: whether the application is a terminal emulator, which starts programs of the user.
      case desktopEntry(isTerminal: Bool)
    }

    package var identifier: BundleIdentifier
    package var kind: Kind

    package init(_ identifier: BundleIdentifier, _ kind: Kind = .own) {
      self.identifier = identifier
      self.kind = kind
    }

    /// Whether its processes, besides the one that the daemon starts, are programs of the user.
    package var startsProgramsOfUser: Bool {
      switch kind {
      case .own: false
      case .desktopBridge, .desktopEntry(isTerminal: true): true
      case .desktopEntry(isTerminal: false): false
      }
    }

    package var isDesktopEntry: Bool {
      if case .desktopEntry = kind { true } else { false }
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

    /// Whether the caller is a process of an application with a property list, or the process that the daemon
    /// started.
    package var isOfApplication: Bool { isItself || application.kind == .own }
  }

  package enum Executable: Hashable, Sendable {
    case of(BundleIdentifier)
    case ofNobody
    /// The executable was deleted or replaced, and its path is that of the application.
    case replaced(BundleIdentifier)
    /// The executable cannot be read; any program is possible.
    case unreadable

    package var application: BundleIdentifier? {
      if case .of(let application) = self { application } else { nil }
    }
  }

  /// Identifies the caller by the most reliable evidence.
  /// - Returns: nil when the caller may be an application that cannot be determined.
  package static func caller(_ evidence: Evidence) -> Caller? {
    if let remote = evidence.remote { return .remote(remote) }
    if let own = evidence.connection { return .application(own, .checkedIn) }
    if let own = evidence.process { return .application(own, .process) }
    if let started = evidence.started, started.isOfApplication {
      return .application(
        started.application.identifier, started.isInTree ? .processTree : .unit)
    }
    if let unit = evidence.unit, unit.kind == .own {
      return .application(unit.identifier, .unit)
    }
    if evidence.started == nil, !evidence.descendsFromBridge, let descendant = evidence.descendant,
      descendant != .ofNobody
    {
      return descendant.caller
    }
    switch evidence.executable {
    case .of(let own): return .application(own, .executable)
    case .replaced, .unreadable: return nil
    case .ofNobody:
      if let sandbox = evidence.sandbox { return .application(sandbox, .sandbox) }
      return desktopEntry(evidence) ?? evidence.outsider.map(Caller.outsider) ?? .unidentified
    }
  }

  /// The application of a desktop entry, the least reliable evidence: the desktop puts all that an application starts
  /// into the unit of the application. What the user runs in a terminal is the user's own.
  private static func desktopEntry(_ evidence: Evidence) -> Caller? {
    guard !evidence.hasTerminal else { return nil }
    let candidates: [(Application?, Identification)] = [
      (evidence.started?.application, .processTree), (evidence.unit, .unit),
    ]
    for case (let application?, let how) in candidates where application.isDesktopEntry {
      return application.startsProgramsOfUser ? nil : .application(application.identifier, how)
    }
    return nil
  }
}
