internal import LaunchServicesTesting
internal import StubApplications

/// What happened in a step.
struct StepResult {
  /// The receipt of an open, or its error. Several for documents with several handlers.
  var answers: [Result<Receipt, Refusal>] = []
  /// The answer to *can open*.
  var canOpen: Bool?
  /// The decision before the open; nil for a step without a URL.
  var explanation: Explanation?
  /// What the stubs got.
  var events: [StubEvent] = []
  /// The questions to the user.
  var questions: [String] = []

  var deliveries: [StubEvent] { events.filter(\.isDelivery) }

  /// The reason for the answer to *can open*, or the text of the error.
  var reason: String {
    for case .failure(let refusal) in answers { return refusal.text }
    return explanation?.sentence(of: "canOpen") ?? explanation?.steps.first?.sentence ?? ""
  }

  /// The steps of the decision, for readers.
  var explanationLines: [String] {
    (explanation?.steps ?? []).map { "\($0.step): \($0.sentence)" }
  }
}

extension Refusal {
  /// The name without the prefix of the contract, such as `ApplicationNotFound`.
  var shortName: String {
    let prefix = "org.launchservices.Error."
    return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }
}
