internal import BusContract
internal import Commands
internal import DBus

/// Queries.
extension OpenCommand {
  func ask(
    _ message: borrowing Message, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> [Value] {
    do throws(ServiceFailure) {
      return try service.call(message, invocation.timeout ?? Service.patience)
    } catch {
      if error == .timedOut, let process = service.stoppedDaemon() {
        throw CommandFailure(
          .failed,
          "launchservicesd (process \(process)) is stopped and did not answer in time; to resume it: kill -CONT"
            + " \(process)", error: "TimedOut")
      }
      throw CommandFailure(error)
    }
  }
}

extension OpenInvocation {
  var query: QueryOptions {
    QueryOptions(
      actAs: options.actAs, application: options.application, device: options.device,
      isLink: options.isLink,
      universalLinksOnly: options.universalLinksOnly)
  }
}
