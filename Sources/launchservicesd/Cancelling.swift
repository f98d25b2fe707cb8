internal import BusContract
internal import DBus
internal import LaunchRules

// CancelOpen.

extension Daemon {
  func cancel(_ id: String, _ call: PendingCall) throws(BusError) {
    let requests = opens.find(sender: call.sender, cancellationID: id)
    guard !requests.isEmpty else {
      throw .invalidArguments("cancellation_id: no open of this caller has the identifier \(id)")
    }
    call.succeed([.boolean(requests.contains { opens[$0]?.wasHandedOver ?? false })])
    for request in requests {
      let left = opens.leave(request, sender: call.sender, cancellationID: id) {
        callers.isConnected($0.sender)
      }
      if let left {
        for waiter in left { waiter.fail(Self.leftToOthers.busError) }
        continue
      }
      guard confirmations.holds(request) else {
        perform(lifecycles.cancel(request, in: registry))
        continue
      }
      fail(request, .cancelled("the opener cancelled it before the user had answered"))
      confirmations.cancel(request)
    }
  }

  private static let leftToOthers = OpenFailure.cancelled(
    "this call was cancelled; another call waits for the open, which goes on")
}
