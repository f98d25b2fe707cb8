/// Finds out how far it is known who started a process.
///
/// A process whose parent ends gets another one: process 1, or one that asked the kernel for such processes. So the
/// processes above one are those that started it only up to the first that may have been adopted.
package enum StartChain {
  /// A process of the chain.
  package struct Link: Hashable, Sendable {
    package var pid: Int32
    package var session: Int32
    package var hasTerminal: Bool
    /// The file name of its executable; nil when it cannot be read.
    package var program: String?

    package init(pid: Int32, session: Int32, hasTerminal: Bool = false, program: String? = nil) {
      self.pid = pid
      self.session = session
      self.hasTerminal = hasTerminal
      self.program = program
    }

    var leadsSession: Bool { pid == session }
  }

  /// Programs that adopt processes. The kernel does not show which do.
  private static let reapers: Set = ["catatonit", "dinit", "lxqt-session", "systemd", "tini"]

  /// The place of the process that may have been adopted; nil when the chain begins at a terminal.
  ///
  /// A terminal counts when another process above the first one leads its session, as a shell does. One that the
  /// first process has from a process that is not above it, such as a browser that was started at a terminal, does not.
  /// - Parameter chain: a process and those above it, nearest first.
  package static func adopted(in chain: [Link]) -> Int? {
    for (place, link) in chain.enumerated() {
      if place > 0, link.leadsSession, link.hasTerminal { return nil }
      guard place + 1 < chain.count else { return place }
      let parent = chain[place + 1]
      if parent.pid == 1 || parent.program.map(reapers.contains) == true { return place }
      // A child is in the session of the process that started it, unless it has begun one.
      if !link.leadsSession, link.session != parent.session { return place }
    }
    return nil
  }
}
