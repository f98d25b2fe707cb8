internal import BusContract
internal import Commands
internal import DBus
internal import DBusMainLoop
internal import LaunchRules

// Who is told how far the daemon is with reading property lists.

extension Daemon {
  func watchReading(_ caller: Caller, _ call: PendingCall) throws(BusError) {
    try readingWatchers.add(call.sender, of: share(of: caller, on: call.sender))
    call.succeed()
  }

  func tellReading(_ read: Int, of found: Int) {
    let (read, found) = (UInt64(read), UInt64(found))
    progress?.show(read, of: found)
    for connection in readingWatchers.connections {
      session(of: connection).send(
        .signal(
          path: Contract.objectPath, interface: Contract.registry, member: Contract.readingProgress,
          [.uint64(read), .uint64(found)], to: BusName(connection)))
    }
  }
}
