internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import LaunchRules
internal import ProcessSupervision

/// Handles signals of the bus and new connections.
struct ConnectionEvents {
  let callers: CallerComponents
  let opening: OpenComponents
  let closed: ClosedConnections

  /// Matches new and closed connections. The owners of well-known names are also watched individually.
  static let match = MessageBus.ownerChanges()

  func received(_ signal: borrowing Message) {
    if signal.interface == NotificationAgent.server.text { return opening.notices.received(signal) }
    if callers.services.received(signal) { return }
    guard MessageBus.isOwnerChange(signal) else { return }
    let arguments = signal.arguments().compactMap(\.asString)
    guard let name = arguments.first, let owner = arguments.last else { return }
    if name == ServiceManagerContract.name.text { callers.services.ownerChanged(owner) }
    guard name.hasPrefix(":") else {
      return opening.handlerEvents.ownerChanged(of: name, to: owner)
    }
    if owner.isEmpty { closed.closed(name) } else { callers.table.arrived(name) }
  }

  /// Handles a new direct connection.
  func arrivedDirectly(_ name: String, _ session: BusSession) {
    callers.table.arrived(name)
    // Identifies the caller now, because the process may run another program by the time of its first call.
    callers.table.withFacts(of: name) { _ in }
    callers.server.serve(session)
  }
}
