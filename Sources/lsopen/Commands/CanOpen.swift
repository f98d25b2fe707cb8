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

  /// The reason for the answer no to `--can-open`; nil when the answer is no longer no.
  private func reason(_ url: String, _ invocation: OpenInvocation) -> String? {
    if service.remotePath() != nil {
      return "the machine of the user has no application for it, or asks the user first"
    }
    do throws(CommandFailure) {
      let explanation = try ask(Contract.explain(url, invocation.query), invocation).first
      let steps = (explanation?.asOptions?["steps"]?.elements ?? []).map {
        ($0.elements ?? []).compactMap(\.asString)
      }
      // The explanation of an invalid URL has only the step `url`.
      let step = steps.first { $0.first == "canOpen" } ?? steps.first
      guard let sentence = step?.last, !sentence.hasPrefix("yes: ") else { return nil }
      return (sentence.hasPrefix("no: ") ? String(sentence.dropFirst(4)) : sentence).inCommandTerms
    } catch {
      return error.reason
    }
  }
}
