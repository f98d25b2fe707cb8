internal import BusContract
internal import Commands
internal import DBus

/// `lsopen --quick-action`.
extension OpenCommand {
  func performQuickAction(
    _ type: String, of application: String, _ invocation: OpenInvocation
  ) throws(CommandFailure) {
    try openOne(
      invocation, ["application": .string(application), "type": .string(type)]
    ) { Contract.performQuickAction(application, type: type, $0) }
  }
}
