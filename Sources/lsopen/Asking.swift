internal import BusContract
internal import Commands
internal import DBus

/// Questions: nothing is opened.
extension OpenCommand {
  func canOpen(_ operand: String, _ invocation: OpenInvocation) throws(CommandFailure) -> ExitCode {
    let url = try url(operand)
    let values = try ask(Contract.canOpenURL(url, invocation.query), invocation)
    let canOpen = values.first?.asBoolean ?? false
    if invocation.json {
      output.print(JSON.text(["can-open": .boolean(canOpen), "url": .string(url)]))
    } else {
      output.print(canOpen ? "yes" : "no")
    }
    return canOpen ? .success : .no
  }

  func explain(_ operand: String, _ invocation: OpenInvocation) throws(CommandFailure) {
    let url = try url(operand)
    let values = try ask(Contract.explain(url, invocation.query), invocation)
    let explanation = values.first?.asOptions ?? [:]
    if invocation.json {
      output.print(JSON.text(explanation))
    } else {
      let steps = explanation["steps"]?.elements ?? []
      output.print(Columns.lines(steps.map { ($0.elements ?? []).compactMap(\.asString) }))
    }
  }

  func history(_ count: UInt32, _ invocation: OpenInvocation) throws(CommandFailure) {
    var options = HistoryOptions()
    options.limit = count
    options.application = invocation.options.application
    let requests =
      try ask(Contract.history(options), invocation).first?.asOptionsList ?? []
    if invocation.json { return output.print(JSON.text(.optionsList(requests))) }
    output.print(Columns.lines(requests.map(RequestLine.cells)))
  }

  private func ask(
    _ message: borrowing Message, _ invocation: OpenInvocation
  ) throws(CommandFailure) -> [Value] {
    do throws(ServiceFailure) {
      return try service.call(message, invocation.timeout ?? Service.patience)
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension OpenInvocation {
  var query: QueryOptions {
    QueryOptions(actAs: options.actAs, application: options.application)
  }
}
