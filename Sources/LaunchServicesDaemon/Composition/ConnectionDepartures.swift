internal import CallerIdentity

// What follows when a connection has gone: of an opener, a handler, an agent or a subscriber.

extension EventWiring {
  /// A connection of the bus has gone, or a direct one.
  ///
  /// Opens that its caller made go on and are delivered, for they were accepted; only the answer has no reader. Calls
  /// that wait take effect when they change something, and questions are dropped.
  func left(_ name: String) {
    // The last answers of a handler count, so they are read before the handler is forgotten.
    handlers.deliveries.takeLastAnswers(of: name)
    callers.callers.left(name)
    callers.server.left(name)
    requests.history.left(name)
    opening.applications.left(name)
    opening.reading.left(name)
    opening.confirmations.left(name)
    opening.exitWaiters.forget(name)
    handlers.deliveries.left(name)
  }

  /// A direct connection has gone.
  func leftDirectly(_ name: String) {
    left(name)
    handlers.deliveries.leftDirectly(name)
  }
}
