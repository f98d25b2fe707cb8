internal import BusContract
internal import Commands
internal import DBus

/// `lsopen --explain`.
extension OpenCommand {
  func explain(_ operand: Operand, _ invocation: OpenInvocation) throws(CommandFailure) {
    let url = try urlInQuestion(operand, invocation)
    let values = try ask(Contract.explain(url, invocation.query), invocation)
    let explanation = values.first?.asOptions ?? [:]
    if invocation.json {
      output.print(JSON.text(explanation))
    } else {
      let steps = explanation["steps"]?.elements ?? []
      output.print(
        Columns.lines(
          steps.map { ($0.elements ?? []).compactMap(\.asString).map(\.inCommandTerms) }))
    }
  }
}
