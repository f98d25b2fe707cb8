internal import CallerIdentity
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Decides opens by the rules. What opens and what explains ask it alike.
final class OpenDecider {
  private let store: RegistryStore
  private let links: AssociatedDomains
  private let confirmations: ConfirmationService
  private let redirectLoops: RedirectLoopGuard
  private let processes: ProcessSupervisor
  private let deliveries: DeliveryService
  private let journal: Journal

  init(
    _ store: RegistryStore, _ links: AssociatedDomains, _ confirmations: ConfirmationService,
    _ redirectLoops: RedirectLoopGuard, _ processes: ProcessSupervisor,
    _ deliveries: DeliveryService, _ journal: Journal
  ) {
    self.store = store
    self.links = links
    self.confirmations = confirmations
    self.redirectLoops = redirectLoops
    self.processes = processes
    self.deliveries = deliveries
    self.journal = journal
  }

  /// What the rules say about an open.
  /// - Parameters:
  ///   - url: what a redirect loop is known by; nil for what is no URL.
  ///   - isCounted: false when nothing is opened.
  func decide(
    _ question: OpenRule.Question, _ url: String?, of caller: IdentifiedCaller, isCounted: Bool
  ) -> OpenRule.Decision {
    let decision = OpenRule.decide(
      question, in: store.registry, by: policies(question, url, caller, isCounted: isCounted))
    if isCounted, let missing = decision.missing {
      // Apple's systems tell their user (R2.11).
      journal.notice(
        "\(missing.name) is not installed", ["scheme": question.scheme?.text ?? ""],
        about: ["caller": caller.recordedName])
    }
    return decision
  }

  /// How an open is handed once more to the application that was given it.
  func repetition(
    of question: OpenRule.Question, with application: InstalledApplication,
    _ caller: IdentifiedCaller
  ) -> OpenRule.Opening {
    OpenRule.repetition(
      of: question, with: application, in: store.registry,
      by: policies(question, nil, caller, isCounted: false))
  }

  private func policies(
    _ question: OpenRule.Question, _ url: String?, _ caller: IdentifiedCaller, isCounted: Bool
  ) -> OpenRule.Policies {
    OpenRule.Policies(links: links.rule, confirmations: confirmations.rule, site: links.site) {
      [self] application in
      guard let url, let scheme = question.scheme, application.declaration.isDesktopBridge else {
        return nil
      }
      let bridge = processes.instance(startedAs: caller.facts.ancestry)
      return redirectLoops.failure(
        url, scheme,
        .init(
          wasBridged: bridge.map { deliveries.wasBridged(url, to: $0) } ?? false,
          hops: caller.facts.hops),
        isCounted: isCounted)
    }
  }
}
