internal import CallerIdentity

/// Ends what belongs to a connection that was closed: of an opener, a handler, or a confirmation agent.
struct ClosedConnections {
  let callers: CallerComponents
  let requests: RequestComponents
  let handlers: HandlerComponents
  let opening: OpenComponents

  /// Handles the closing of a bus connection or direct connection.
  ///
  /// Accepted opens of the caller are still delivered; only their replies are dropped. Queued calls that
  /// change state take effect, and queued questions are dropped.
  func closed(_ name: String) {
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
  func closedDirectly(_ name: String) {
    closed(name)
    handlers.deliveries.leftDirectly(name)
  }
}
