internal import BusContract
internal import DBus
internal import LaunchRules

// Explain, of a file: its type, who claims it, and what an open would do.

extension Daemon {
  func explainDocument(
    _ text: String, _ options: QueryOptions, _ caller: Caller, _ call: PendingCall
  ) {
    server.answerLater(call) { [self] in
      let found = await look(at: [text], for: call.sender)
      do throws(BusError) {
        return .success([
          .options(try explanation(of: text, found[0], options, caller, call.sender))
        ])
      } catch {
        return .failure(error)
      }
    }
  }

  private func explanation(
    of text: String, _ found: Result<NamedDocument, OpenFailure>, _ options: QueryOptions,
    _ caller: Caller, _ sender: String
  ) throws(BusError) -> Options {
    let acting = try explaining(caller, options)
    let designated = try options.application.map { name throws(BusError) in
      try identifier(name, "option 'application'")
    }
    var counted = store.countedQueries
    let answer = CanOpenRule.answer(
      scheme: .file, caller: acting, registry: registry, quotas: &counted)
    var steps = CanOpenRule.explanation(
      scheme: .file, host: nil, caller: acting, registry: registry, quotas: store.countedQueries
    ).filter { ["url", "caller", "allowlist", "canOpen"].contains($0.step) }
    var handler: InstalledApplication?
    do throws(OpenFailure) {
      let document = try found.get()
      steps += explanation(of: document)
      let question = OpenRule.Question(
        .document(document.subject), caller: caller, acting: acting, designated: designated,
        finding: finding(sender), isLink: options.isLink)
      let decision = decide(question, document.url.text, from: sender, isCounted: false)
      steps += explanation(of: decision)
      handler = try? decision.outcome.get().application
      if let handler {
        steps.append(
          ExplanationStep(
            "openInPlace",
            handler.declaration.usesDocumentsInPlace
              ? "true: it may use the file where it is"
              : "false: it has no LSSupportsOpeningDocumentsInPlace, and copies the file first"))
      }
    } catch {
      steps.append(ExplanationStep("open", "fails: \(error.text)"))
    }
    if registry.sandboxed(caller) != nil, !answer.isYes {
      // What is on the disk, and who opens it, is more than it declared that it may know (R3.3).
      handler = nil
      steps = steps.filter { ["url", "caller", "allowlist", "canOpen"].contains($0.step) }
    }
    return explained(steps, answer, handler, acting)
  }

  private func explanation(of document: NamedDocument) -> [ExplanationStep] {
    let kind = document.subject.kind
    let parents = registry.types.levels(of: kind.type).dropFirst().joined()
    var steps = [
      ExplanationStep("document", document.url.visiblePath),
      ExplanationStep("type", "\(kind.type) (\(kind.reason))"),
    ]
    if !parents.isEmpty {
      steps.append(
        ExplanationStep("conformsTo", parents.map(\.text).joined(separator: ", ")))
    }
    return steps
      + documentCandidates(document.subject).map {
        ExplanationStep("candidate", "\($0.identifier): \($0.why)")
      }
  }
}
