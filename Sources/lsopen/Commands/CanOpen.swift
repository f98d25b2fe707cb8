internal import BusContract
internal import Commands
internal import DBus

/// `lsopen --can-open`.
extension OpenCommand {
  func canOpen(_ operand: Operand, _ invocation: OpenInvocation) throws(CommandFailure) -> ExitCode
  {
    let url = try urlInQuestion(operand, invocation)
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
}
