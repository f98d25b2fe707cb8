internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host

// The socket for connections with no bus between.

extension Daemon {
  /// Takes connections with no bus between as well. After the bus name is owned: nobody else has the socket.
  /// - Returns: false when nobody can connect, which the log explains.
  @discardableResult func listen() -> Bool {
    guard settings.takesDirectConnections, let path = directSocket else { return false }
    do {
      try direct.listen(at: path) { [unowned self] name, session in
        callers.arrived(name)
        // Now, because it may run another program when it calls.
        callers.withFacts(of: name) { _ in }
        session.overflow = (settings.maximumOpensPerCaller, tooManyWait)
        session.onCall = { [unowned self] in received($0) }
      } left: { [unowned self] in
        left($0)
        leftDirectly($0)
      } short: { [journal] in
        journal.error("no file descriptors are left: direct connections are turned away")
      } full: { [journal] process, count in
        journal.notice(
          "a direct connection was turned away: as many as may be are there",
          ["connections": "\(count)", "of": process.map { "process \($0)" } ?? "all processes"])
      } lost: { [unowned self] in
        listenAgain(at: path)
      }
      return true
    } catch {
      let details: KeyValuePairs = ["path": path, "reason": "\(error)"]
      if hasBus {
        journal.warning("there are no direct connections", details)
      } else {
        journal.error(
          "direct connections cannot be taken, and there is no bus, so nobody could reach this daemon",
          details)
      }
      return false
    }
  }

  /// Why nothing is opened, where that is so.
  static let hasNoBus =
    "launchservicesd was started with --direct-only and has no session bus, over which applications"
    + " are reached: end it, and start launchservicesd on a session bus, as dbus-run-session makes one"

  /// Somebody has removed the socket. It is made again, because nothing else would start a daemon without a
  /// bus again; that one ends when this cannot be, as nobody could reach it any more.
  private func listenAgain(at path: String, tries: Int = 10) {
    if listen() {
      journal.warning(
        "the socket for direct connections was removed; it is there again", ["path": path])
    } else if tries > 1 {
      // Whoever removed it may not be done.
      listeningAgain = Deadline(after: .seconds(1)) { [weak self] in
        self?.listenAgain(at: path, tries: tries - 1)
      }
    } else if !hasBus {
      stop()
      exit(1)
    }
  }
}
