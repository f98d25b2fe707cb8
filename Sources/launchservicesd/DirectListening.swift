internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host
internal import LaunchRules

// The socket for connections with no bus between.

extension Daemon {
  /// Takes connections with no bus between as well. After the bus name is owned: nobody else has the socket.
  /// - Returns: false when nobody can connect, which the log explains.
  /// - Parameter again: the socket was there, and others have removed or replaced it.
  @discardableResult func listen(again: Bool = false) -> Bool {
    guard settings.takesDirectConnections, let path = directSocket else { return false }
    do {
      // The bus says who the daemon is. Without one, who has the socket is the daemon.
      try direct.listen(at: path, replacing: again && hasBus) { [unowned self] name, session in
        callers.arrived(name)
        // Now, because it may run another program when it calls.
        callers.withFacts(of: name) { _ in }
        session.overflow = (settings.opens.maximumOpensPerCaller, tooManyWait)
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

  /// Somebody has removed the socket, or has put another one in its place. It is made again for as long as this
  /// happens, more and more slowly. A daemon without a bus ends when it cannot be, because nobody could reach it
  /// any more, and nothing would start another.
  private func listenAgain(at path: String, tries: Int = 7) {
    let pause = socketPace.next(at: Time.monotonicMicroseconds())
    listeningAgain = Deadline(after: .microseconds(pause)) { [weak self] in
      guard let self else { return }
      if listen(again: true) {
        journal.warning(
          "the socket for direct connections was removed; it is there again", ["path": path])
      } else if hasBus || tries > 1 {
        // Whoever removed it may not be done.
        listenAgain(at: path, tries: tries - 1)
      } else {
        stop()
        exit(1)
      }
    }
  }
}
