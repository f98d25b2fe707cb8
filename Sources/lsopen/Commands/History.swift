internal import BusContract
internal import Commands
internal import DBus

/// `lsopen --history`.
extension OpenCommand {
  func history(_ count: UInt32, _ invocation: OpenInvocation) throws(CommandFailure) {
    var options = HistoryOptions()
    options.limit = count
    options.application = invocation.options.application
    let requests =
      try ask(Contract.history(options), invocation).first?.asOptionsList ?? []
    if invocation.json { return output.print(JSON.text(.optionsList(requests))) }
    output.print(Columns.lines(requests.map(RequestLine.cells)))
  }
}
