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
      if let reason { answer["reason"] = .string(reason.sentence) }
      if let code = reason?.code { answer["code"] = .string(code) }
      output.print(JSON.text(answer))
    } else {
      output.print(canOpen ? "yes" : "no")
    }
    if let reason { output.complain(reason.sentence) }
    return canOpen ? .success : .no
  }

  private struct Reason {
    let sentence: String
    /// A word for programs; nil when the daemon does not give one.
    var code: String?
  }

  /// The reason for the answer no to `--can-open`; nil when the answer is no longer no.
  private func reason(_ url: String, _ invocation: OpenInvocation) -> Reason? {
    if service.remotePath() != nil {
      return Reason(
        sentence: "the machine of the user has no application for it, or asks the user first")
    }
    do throws(CommandFailure) {
      let explanation =
        try ask(Contract.explain(url, invocation.query), invocation).first?.asOptions ?? [:]
      let steps = (explanation["steps"]?.elements ?? []).map {
        ($0.elements ?? []).compactMap(\.asString)
      }
      // The explanation of an invalid URL has only the step `url`.
      let step = steps.first { $0.first == "canOpen" } ?? steps.first
      guard let sentence = step?.last, !sentence.hasPrefix("yes: ") else { return nil }
      return Reason(
        sentence: (sentence.hasPrefix("no: ") ? String(sentence.dropFirst(4)) : sentence)
          .inCommandTerms,
        code: explanation[Key.canOpenCode]?.asString)
    } catch {
      return Reason(sentence: error.reason)
    }
  }
}
