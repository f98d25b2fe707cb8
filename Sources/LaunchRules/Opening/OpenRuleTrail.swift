extension OpenRule.Question {
  /// The scheme in the question to the user; nil for opens that the user has chosen directly.
  package var scheme: URLScheme? {
    switch subject {
    case .url(let scheme, _, _): scheme
    case .document: .file
    case .quickAction, .application: nil
    }
  }
}

extension OpenRule.Decision {
  /// The steps of the decision, for `Explain`: `rule`, `universal link`, `system application`, `handler` or `device`, `confirmation`, and `open` when
  /// the open fails.
  package var trail: [ExplanationStep] {
    var steps = kept.map { [ExplanationStep("rule", $0.sentence)] } ?? []
    steps += link?.steps ?? []
    if let replaced {
      steps.append(
        ExplanationStep(
          "system application",
          "\(replaced.identifier), which passes URLs to the default application of the desktop"))
    }
    if let application {
      let choice =
        isDesignated ? "; the opener has chosen this application, whatever the default is" : ""
      steps.append(
        ExplanationStep(
          "handler", "\(application.identifier), from \(application.propertyList)\(choice)"))
    }
    if let device { steps.append(ExplanationStep("device", device.sentence)) }
    if let confirmation { steps.append(ExplanationStep("confirmation", confirmation.sentence)) }
    switch outcome {
    case .failure(let failure): steps.append(ExplanationStep("open", "fails: \(failure.text)"))
    case .success(let opening) where opening.receiver.failure != nil:
      let failure = opening.receiver.failure?.text ?? ""
      steps.append(ExplanationStep("open", "fails when the user has answered: \(failure)"))
    case .success where confirmation != nil: break
    case .success(let opening) where opening.form == .userActivity:
      steps.append(
        ExplanationStep("confirmation", "the user is not asked: the URL is a universal link"))
    case .success(let opening) where opening.form == .withoutURL:
      steps.append(
        ExplanationStep(
          "confirmation",
          "the user is not asked: the application"
            + " receives no URL"))
    case .success: break
    }
    return steps
  }
}

extension OpenRule.Decision.Confirmation {
  fileprivate var sentence: String {
    let origin = page.map { "from a web page (\($0)): " } ?? ""
    return switch decision {
    case .allowed, .proceed, .permitted, .ask: "\(origin)\(decision)"
    case .decline: "\(origin)declined: \(decision)"
    }
  }
}
