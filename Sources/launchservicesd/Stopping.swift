internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

// The end of the daemon, for the opens that are under way.

extension Daemon {
  /// Answers everybody who waits and takes no more calls.
  func stop() {
    isStopping = true
    deliveries.stop()
    perform(lifecycles.resumeAll())
    confirmations.cancelAll()
    for open in opens.settleAll() { cutOff(open) }
    exitWaiters.failAll(Self.shuttingDown.busError)
    server.stop(Self.shuttingDown.busError)
    callers.giveUp()
    session.readAll()
    direct.stop()
    requests.close()
    if session.connection?.flush(within: Self.patience) ?? true {
      supervisor.stop()
    } else {
      journal.warning(
        "the message bus did not take the last messages in time: openers get no answer",
        ["limit": "\(Self.patience)"])
    }
    store.stop()
    links.stop()
  }

  /// How long the bus may take to read what this daemon says last.
  private static let patience = Duration.seconds(2)

  private static let shuttingDown = OpenFailure.shuttingDown(
    "the launch services daemon is shutting down")

  /// One with a name stays as it is in the record: the next daemon tells what became of it. For one
  /// without, this is its fate.
  private func cutOff(_ open: PendingOpen) {
    let failure =
      open.entry.progress == .delivering && open.entry.name == nil
      ? OpenFailure.deliveryUnknown(
        "the daemon was stopped while \(open.handler), process \(open.entry.pid), had the request:"
          + " it is not known what became of it") : Self.shuttingDown
    if open.entry.progress == .settled {
      tellMonitors(open.entry)
    } else if open.entry.name == nil {
      noteFate(open, .failure(failure), isFinal: true)
    }
    for waiter in open.waiters { waiter.fail(failure.busError) }
  }
}
