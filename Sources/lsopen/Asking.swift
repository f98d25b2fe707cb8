internal import BusContract
internal import Commands
internal import DBus

/// Questions: nothing is opened.
extension OpenCommand {
  func canOpen(_ operand: Operand, _ invocation: OpenInvocation) throws(CommandFailure) -> ExitCode
  {
    let url = try url(operand)
    let values = try ask(Contract.canOpenURL(url, invocation.query), invocation)
    let canOpen = values.first?.asBoolean ?? false
    let reason = canOpen ? nil : reason(url, invocation)
    if invocation.json {
      var answer: Options = ["can-open": .boolean(canOpen), "url": .string(url)]
      if let reason { answer["reason"] = .string(reason) }
      output.print(JSON.text(answer))
    } else {
      output.print(canOpen ? "yes" : "no")
    }
    if let reason { output.complain(reason) }
    return canOpen ? .success : .no
  }

  /// Why the answer to `--can-open` is no, as the same caller is told; nil when it no longer is.
  private func reason(_ url: String, _ invocation: OpenInvocation) -> String? {
    do throws(CommandFailure) {
      let explanation = try ask(Contract.explain(url, invocation.query), invocation).first
      let steps = (explanation?.asOptions?["steps"]?.elements ?? []).map {
        ($0.elements ?? []).compactMap(\.asString)
      }
      // Of what is no URL, nothing but that is explained.
      let step = steps.first { $0.first == "canOpen" } ?? steps.first
      guard let sentence = step?.last, !sentence.hasPrefix("yes: ") else { return nil }
      return (sentence.hasPrefix("no: ") ? String(sentence.dropFirst(4)) : sentence).inCommandTerms
    } catch {
      return error.reason
    }
  }

  func explain(_ operand: Operand, _ invocation: OpenInvocation) throws(CommandFailure) {
    let url = try url(operand)
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

  func history(_ count: UInt32, _ invocation: OpenInvocation) throws(CommandFailure) {
    var options = HistoryOptions()
    options.limit = count
    options.application = invocation.options.application
    let requests =
      try ask(Contract.history(options), invocation).first?.asOptionsList ?? []
    if invocation.json { return output.print(JSON.text(.optionsList(requests))) }
    output.print(Columns.lines(requests.map(RequestLine.cells)))
  }

  func ask(
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
    QueryOptions(
      actAs: options.actAs, application: options.application, isLink: options.isLink)
  }
}
