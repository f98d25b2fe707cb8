internal import BusContract
internal import Commands
internal import DBus

/// Prints the results of requests until it is interrupted.
extension RegisterCommand {
  func monitor(json: Bool) throws(CommandFailure) {
    _ = try call(Contract.monitor())
    _ = try call(MessageBus.addMatch(MessageBus.ownerChanges(of: Contract.busName)))
    var daemon = try call(MessageBus.nameOwner(Contract.busName)).first?.asString
    var failure: CommandFailure?
    do throws(ServiceFailure) {
      try service.listen { signal in
        let arguments = signal.arguments()
        switch (signal.sender, signal.member) {
        case (MessageBus.name.text, "NameOwnerChanged")
        where arguments.first == .string(Contract.busName.text):
          daemon = arguments.last?.asString
          guard daemon?.isEmpty == false else {
            return output.complain(
              "launchservicesd has ended; waiting for the next launchservicesd")
          }
          do throws(CommandFailure) { _ = try call(Contract.monitor()) } catch { failure = error }
          if let failure { output.complain(failure) }
        // Any process can send a signal with this name.
        case (let sender?, "RequestEnded") where sender == daemon:
          guard let request = arguments.first?.asOptions else { return }
          output.print(
            json ? [JSON.text(request)] : Columns.lines([RequestLine.cells(request)]))
        default: break
        }
      }
    } catch {
      throw CommandFailure(error)
    }
    throw CommandFailure(.serviceUnreachable, "the connection to the session bus was closed")
  }
}
