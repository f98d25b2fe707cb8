internal import LaunchRules
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
    for answer in result.answers {
      let differences =
        switch answer {
        case .success(let receipt): compare(receipt)
        case .failure(let refusal): compare(refusal)
        }
      found += differences.filter { !found.contains($0) }
    }
    if !receivers.isEmpty, expected.error == nil { found += compareArrivals() }
    if let asks = expected.asks, asks == result.questions.isEmpty {
      found.append(
        asks
          ? "the user was not asked"
          : "the user was asked: \(result.questions.joined(separator: "; "))")
    }
    return found
  }

  /// The applications that got it, each once.
  private var receivers: [String] {
    result.answers.reduce(into: []) { list, answer in
      if case .success(let receipt) = answer, !list.contains(receipt.handler) {
        list.append(receipt.handler)
      }
    }
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
    if let wanted = expected.handler, !BundleIdentifier.areEqual(wanted, receipt.handler) {
      found.append("expected the application \(wanted), got \(receipt.handler)")
    }
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
    return found
  }

  /// What the callbacks of the receivers got. Only stubs say it.
  private func compareArrivals() -> [String] {
    var found: [String] = []
    if let other = receivers.first(where: { !stubs.contains($0) }) {
      let asked: [Any?] = [expected.callback, expected.source, expected.received, expected.isLink]
      guard asked.contains(where: { $0 != nil }) else { return [] }
      found.append(
        "\(other) has a program of its own, so its callbacks are not known: compare what it prints")
    } else {
      found += receivers.compactMap(compareCallback)
      let own = result.deliveries.filter { receivers.contains($0.application) }
      let urls = own.flatMap(\.urls) + own.flatMap(\.links)
      if let wanted = expected.received, wanted.sorted() != urls.sorted() {
        found.append("expected \(listed(wanted)) to arrive, got \(listed(urls))")
      }
      found += receivers.flatMap(compareOrigin)
    }
    return found
      + result.deliveries.filter { !receivers.contains($0.application) }.map {
        "\($0.application) got something too: \($0.sentence)"
      }
  }

  private func listed(_ urls: [String]) -> String {
    urls.isEmpty ? "nothing" : urls.joined(separator: " ")
  }

  private func compareCallback(of receiver: String) -> String? {
    let own = result.deliveries.filter { $0.application == receiver }
    let callback = own.last?.callback.rawValue ?? Expectation.none
    guard let wanted = expected.callback, wanted != callback else { return nil }
    return "expected the callback \(wanted), got \(callback)"
  }

  private func compareOrigin(of receiver: String) -> [String] {
    var found: [String] = []
    let own = result.deliveries.filter { $0.application == receiver }
    if let wanted = expected.isLink, wanted != own.contains(where: { !$0.links.isEmpty }) {
      found.append(
        wanted ? "it did not arrive as a universal link" : "it arrived as a universal link")
    }
    if let wanted = expected.source {
      let got = own.compactMap(\.source).last ?? Expectation.none
      if !BundleIdentifier.areEqual(wanted, got) {
        found.append("expected the source application \(wanted), got \(got)")
      }
    }
    return found
  }
}

extension BundleIdentifier {
  /// Whether two texts name the same application: ASCII case does not count (R1.9).
  static func areEqual(_ one: String, _ other: String) -> Bool {
    guard let first = BundleIdentifier(one), let second = BundleIdentifier(other) else {
      return one == other
    }
    return first.key == second.key
  }
}
