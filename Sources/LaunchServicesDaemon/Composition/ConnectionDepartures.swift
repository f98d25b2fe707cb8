internal import CallerIdentity

// Reactions to the closing of connections of openers, handlers, agents and subscribers.

extension EventWiring {
  /// Handles the closing of a bus connection or direct connection.
  ///
  /// Accepted opens of the caller are still delivered; only their replies are dropped. Queued calls that
  /// change state take effect, and queued questions are dropped.
  func left(_ name: String) {
    // Reads the last answers of a handler before its connection is removed.
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

  /// Handles the closing of a direct connection.
  func leftDirectly(_ name: String) {
    left(name)
    handlers.deliveries.leftDirectly(name)
  }
}
