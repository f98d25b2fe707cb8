/// Determines which ancestors of a process certainly started it.
///
/// When the parent of a process ends, the kernel assigns process 1 or a subreaper as the new parent. The
/// chain of parents is therefore the chain of starts only up to the first process that may have been adopted.
package enum StartChain {
  /// A process of the chain.
  package struct Link: Hashable, Sendable {
    package var pid: Int32
    package var session: Int32
    package var hasTerminal: Bool
    /// File name of the executable; nil when unreadable.
    package var program: String?

    package init(pid: Int32, session: Int32, hasTerminal: Bool = false, program: String? = nil) {
      self.pid = pid
      self.session = session
      self.hasTerminal = hasTerminal
      self.program = program
    }

    var leadsSession: Bool { pid == session }
  }

  /// Programs that adopt processes, or may, such as the session managers of desktops. The kernel does not reveal which
  /// processes are subreapers.
  private static let reapers: Set = [
    "catatonit", "cinnamon-session-binary", "conmon", "containerd-shim", "cosmic-session", "dinit",
    "gnome-session-binary", "gnome-session-service", "lxqt-session", "lxsession", "mate-session",
    "plasma_session", "pv-adverb", "reaper", "runsvdir", "s6-svscan", "startplasma-wayland",
    "startplasma-x11", "systemd", "tini", "xfce4-session",
  ]

  /// The index of the first process that may have been adopted; nil when the chain begins at a terminal.
  ///
  /// A terminal is accepted when an ancestor of the first process, such as a shell, leads its session. A
  /// terminal inherited from a process that is not an ancestor, such as a browser started in a terminal, is
  /// not accepted.
  /// - Parameter chain: a process and its ancestors, nearest first.
  package static func adopted(in chain: [Link]) -> Int? {
    for (place, link) in chain.enumerated() {
      if place > 0, link.leadsSession, link.hasTerminal { return nil }
      guard place + 1 < chain.count else { return place }
      let parent = chain[place + 1]
      if parent.pid == 1 || parent.program.map(reapers.contains) == true { return place }
      // A child is in the session of its original parent, unless the child leads its own session.
      if !link.leadsSession, link.session != parent.session { return place }
    }
    return nil
  }
}
