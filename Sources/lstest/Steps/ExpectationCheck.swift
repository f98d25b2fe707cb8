internal import LaunchServicesTesting
internal import StubApplications

/// Compares the result of a step with its expectation.
struct ExpectationCheck {
  let expected: Expectation
  let result: StepResult
  /// The identifiers of applications whose programs are stubs.
  let stubs: Set<String>

  /// One sentence for each difference, without its full stop.
  var differences: [String] {
    var found: [String] = []
    if let canOpen = result.canOpen { found += compare(canOpen) }
    switch result.answer {
    case .success(let receipt): found += compare(receipt)
    case .failure(let refusal): found += compare(refusal)
    case nil: break
    }
    if let asks = expected.asks, asks == result.questions.isEmpty {
      found.append(
        asks
          ? "the user was not asked"
          : "the user was asked: \(result.questions.joined(separator: "; "))")
    }
    return found
  }

  private func compare(_ canOpen: Bool) -> [String] {
    let wanted = expected.answer ?? true
    var found: [String] = []
    if canOpen != wanted {
      found.append("expected \(word(wanted)), got \(result.reason)")
    }
    if let reason = expected.reason, !result.reason.contains(reason) {
      found.append("expected the reason '\(reason)', got '\(result.reason)'")
    }
    if let code = expected.code, !canOpen, code != result.explanation?.canOpenCode {
      found.append(
        "expected the code \(code), got \(result.explanation?.canOpenCode ?? "none"):"
          + " \(result.reason)")
    }
    return found
  }

  private func word(_ answer: Bool) -> String { answer ? "yes" : "no" }

  private func compare(_ refusal: Refusal) -> [String] {
    guard let error = expected.error else {
      let receiver = expected.handler.map { "\($0) to get it" } ?? "an application to get it"
      return ["expected \(receiver), but nobody got it: \(refusal.shortName): \(refusal.text)"]
    }
    var found: [String] = []
    if error != refusal.shortName, error != refusal.name {
      found.append("expected the error \(error), got \(refusal.shortName): \(refusal.text)")
    }
    if let reason = expected.reason, !refusal.text.contains(reason) {
      found.append("expected the reason '\(reason)', got '\(refusal.text)'")
    }
    return found
  }

  private func compare(_ receipt: Receipt) -> [String] {
    if let error = expected.error {
      return ["expected the error \(error), but \(receipt.handler) got it"]
    }
    var found: [String] = []
    func compare(_ what: String, _ wanted: String?, _ got: String) {
      if let wanted, wanted != got { found.append("expected \(what) \(wanted), got \(got)") }
    }
    compare("the application", expected.handler, receipt.handler)
    compare("a launch that is", expected.launch, receipt.outcome.launch.rawValue)
    compare("the delivery", expected.delivery, receipt.outcome.delivery.rawValue)
    if expected.delivery == nil, expected.callback != Expectation.none,
      receipt.outcome.delivery == .vetoed
    {
      found.append("a launch method of \(receipt.handler) returned false, so nothing was delivered")
    }
    let isHandled = receipt.outcome.handled
    if let wanted = expected.isHandled {
      compare("handled to be", word(wanted), word(isHandled))
    } else if expected.delivery == nil, receipt.outcome.delivery == .delivered, !isHandled {
      found.append("\(receipt.handler) got it, and said that it did not handle it")
    }
    if let reason = expected.reason, !result.reason.contains(reason) {
      found.append("expected the reason '\(reason)', got '\(result.reason)'")
    }
    return found + compareDelivery(of: receipt)
  }

  /// What the callbacks got. Only stubs say it.
  private func compareDelivery(of receipt: Receipt) -> [String] {
    guard stubs.contains(receipt.handler) else {
      let asked = [
        expected.callback, expected.source, expected.received.map { _ in "" },
        expected.isLink.map { _ in "" },
      ]
      return asked.contains { $0 != nil }
        ? [
          "\(receipt.handler) has a program of its own, so its callbacks are not known: compare what it prints"
        ] : []
    }
    let deliveries = result.deliveries
    var found = deliveries.filter { $0.application != receipt.handler }.map {
      "\($0.application) got something too: \($0.sentence)"
    }
    let own = deliveries.filter { $0.application == receipt.handler }
    let callback = own.last?.callback.rawValue ?? Expectation.none
    if let wanted = expected.callback, wanted != callback {
      found.append("expected the callback \(wanted), got \(callback)")
    }
    let urls = own.flatMap(\.urls) + own.flatMap(\.links)
    if let wanted = expected.received, wanted.sorted() != urls.sorted() {
      found.append(
        "expected \(wanted.joined(separator: " ")) to arrive, got "
          + (urls.isEmpty ? "nothing" : urls.joined(separator: " ")))
    }
    if let wanted = expected.isLink, wanted != own.contains(where: { !$0.links.isEmpty }) {
      found.append(
        wanted ? "it did not arrive as a universal link" : "it arrived as a universal link")
    }
    if let wanted = expected.source {
      let got = own.compactMap(\.source).last ?? Expectation.none
      if wanted != got { found.append("expected the source application \(wanted), got \(got)") }
    }
    return found
  }
}
