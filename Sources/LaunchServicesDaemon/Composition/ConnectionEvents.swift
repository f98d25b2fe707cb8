internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import LaunchRules
internal import ProcessSupervision

/// Handles signals of the bus, new connections, and closed connections of openers, handlers and agents.
struct ConnectionEvents {
  let callers: CallerComponents
  let requests: RequestComponents
  let handlers: HandlerComponents
  let opening: OpenComponents

  /// Matches new and closed connections. The owners of well-known names are also watched individually.
  static let match =
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
    + "member='NameOwnerChanged'"

  func received(_ signal: borrowing Message) {
    if signal.interface == NotificationAgent.server.text { return opening.notices.received(signal) }
    if callers.services.received(signal) { return }
    guard signal.sender == "org.freedesktop.DBus", signal.member == "NameOwnerChanged" else {
      return
    }
    let arguments = signal.arguments().compactMap(\.asString)
    guard let name = arguments.first, let owner = arguments.last else { return }
    if name == ServiceManagerContract.name.text { callers.services.ownerChanged(owner) }
    guard name.hasPrefix(":") else {
      return opening.handlerEvents.ownerChanged(of: name, to: owner)
    }
    if owner.isEmpty { left(name) } else { callers.table.arrived(name) }
  }

  /// Handles a new direct connection.
  func arrivedDirectly(_ name: String, _ session: BusSession) {
    callers.table.arrived(name)
    // Identifies the caller now, because the process may run another program by the time of its first call.
    callers.table.withFacts(of: name) { _ in }
    callers.server.serve(session)
  }

  /// Handles the closing of a bus connection or direct connection.
  ///
  /// Accepted opens of the caller are still delivered; only their replies are dropped. Queued calls that
  /// change state take effect, and queued questions are dropped.
  func left(_ name: String) {
    // Reads the last answers of a handler before its connection is removed.
    handlers.deliveries.takeLastAnswers(of: name)
    callers.table.left(name)
    callers.server.left(name)
    requests.history.left(name)
    opening.applications.left(name)
    opening.reading.left(name)
    opening.confirmations.left(name)
    opening.exitSubscribers.forget(name)
    handlers.deliveries.left(name)
  }

  /// Handles the closing of a direct connection.
  func leftDirectly(_ name: String) {
    left(name)
    handlers.deliveries.leftDirectly(name)
  }
}
