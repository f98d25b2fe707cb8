/// Decides an open: which application receives the payload, in which form, and whether the user must confirm.
///
/// `OpenURL`, `OpenDocuments`, `OpenApplication`, `PerformQuickAction` and `Explain` all call `decide`, so
/// that explanations match the actual behavior.
package enum OpenRule {
  /// What is opened.
  package enum Subject: Hashable, Sendable {
    /// - Parameters:
    ///   - host: of a web URL; nil for every other scheme (R2.7).
    ///   - link: the URL as a universal link; nil when the URL cannot be one.
    case url(URLScheme, host: WebHost?, link: LinkURL?)
    case document(DocumentSubject)
    case quickAction(of: BundleIdentifier)
    case application(BundleIdentifier)
  }

  /// An open with the facts about its opener.
  package struct Question: Hashable, Sendable {
    package var subject: Subject
    package var caller: Caller
    /// The caller after option `as` was applied.
    package var acting: ActingCaller
    /// The application that the caller chose, with option `application` or `own-application` (R5.28).
    package var designated: BundleIdentifier?
    /// The name or the identifier of the device that the caller chose, with option `on`.
    package var device: String?
    /// Fail unless the URL is a universal link (R4.13).
    package var universalLinksOnly: Bool
    /// Whether the caller uses the deprecated `openURL(_:)` (R4.6).
    package var isLegacy: Bool
    /// Whether the caller's process may act for a page in a browser.
    package var finding: WebOrigin.Finding
    /// Whether the caller states that it opens a link of a page.
    package var isLink: Bool
    package var format: URLFormatFinding
    /// False when a web URL leads, or may lead, to this machine or into the local network; see `PublicHost`.
    package var hasPublicHost = true
    /// Whether a mailto URL names a file of this machine that some mail programs would attach.
    package var attachesFile = false
    /// Whether another machine has sent the URL here, by ssh.
    package var isRelayed = false

    package init(
      _ subject: Subject, caller: Caller, acting: ActingCaller,
      designated: BundleIdentifier? = nil, device: String? = nil, universalLinksOnly: Bool = false,
      isLegacy: Bool = false,
      finding: WebOrigin.Finding = .program, isLink: Bool = false,
      format: URLFormatFinding = .accepted()
    ) {
      self.subject = subject
      self.caller = caller
      self.acting = acting
      self.designated = designated
      self.device = device
      self.universalLinksOnly = universalLinksOnly
      self.isLegacy = isLegacy
      self.finding = finding
      self.isLink = isLink
      self.format = format
    }
  }

  /// The form in which the application receives the payload.
  package enum Form: Hashable, Sendable {
    /// Unchanged: a URL, a document, a quick action or no payload.
    case asOpened
    /// A universal link, as a user activity (R8.18).
    case userActivity
    /// Without the URL, because the application would ignore the URL.
    case withoutURL
  }

  /// A permitted open.
  package struct Opening: Hashable, Sendable {
    package let receiver: Receiver
    package let form: Form
    /// Set when the user must confirm the open first (R4.15).
    package let unconfirmed: ConfirmationRule.Situation?
    /// `sourceApplication` of the delivery (R5.23).
    package let source: BundleIdentifier?

    /// The decision for a request that the user has confirmed before.
    package var confirmed: Opening {
      Opening(receiver: receiver, form: form, unconfirmed: nil, source: source)
    }

    /// The application that receives the open; nil when a device receives it.
    package var application: InstalledApplication? { receiver.application }

    /// The application of an open that no device can receive, such as that of a document.
    package func receivingApplication() throws(OpenFailure) -> InstalledApplication {
      guard let application else { throw .notPermitted(DeviceRule.onlyURLs) }
      return application
    }
  }

  package struct Decision: Hashable, Sendable {
    package fileprivate(set) var outcome: Result<Opening, OpenFailure>
    /// The applications considered for a universal link; nil when the URL cannot be one.
    package fileprivate(set) var link: LinkRule.Decision?
    /// The chosen application, also when the open fails for another reason.
    package fileprivate(set) var application: InstalledApplication?
    /// Whether the opener has chosen the application.
    package fileprivate(set) var isDesignated = false
    /// The system application in whose place the chosen application, the default of the desktop, gets the URL.
    package fileprivate(set) var replaced: InstalledApplication?
    /// The device that was chosen, also when the open fails; nil when the open goes to an application.
    package fileprivate(set) var device: DeviceChoice?
    /// Set when a rule would send the URL to a machine, but for its origin.
    package fileprivate(set) var kept: MachineRules.KeptURL?
    /// Nil when no receiver was chosen, and for opens that never need a confirmation.
    package fileprivate(set) var confirmation: Confirmation?
    /// The system application that would handle the URL, if no application does (R2.11).
    package fileprivate(set) var missing: SystemApplication?

    /// The decision for an open that fails before the rule is applied.
    package static func failed(_ failure: OpenFailure) -> Decision {
      Decision(outcome: .failure(failure))
    }

    package struct Confirmation: Hashable, Sendable {
      /// The reason why the open is treated as coming from a page; nil when it is not.
      package let page: WebOrigin.Reason?
      package let decision: ConfirmationRule.Decision
    }
  }

  /// Policies and facts besides the registry.
  package struct Policies {
    package let links: LinkRule
    package let confirmations: ConfirmationRule
    /// Returns the approval of a domain by its association file.
    package let site: (WebHost) -> SiteApproval
    /// Returns a failure if the application, or a process that it started, has opened the same URL before;
    /// nil when the application may receive the open.
    package let redirectLoop: (InstalledApplication) -> OpenFailure?
    /// Returns a failure if the application does not run and cannot be launched, as far as that is known before.
    let launchFailure: (InstalledApplication) -> OpenFailure?
    /// Returns the rights of a remote; nil when there is no such remote.
    package let remoteRights: (RemoteName) -> RemoteRights?
    /// The devices, if the open may go to one.
    package let devices: DeviceList
    /// The rules of the user that send URLs to machines.
    package let machines: MachineRules

    package init(
      links: LinkRule, confirmations: ConfirmationRule, site: @escaping (WebHost) -> SiteApproval,
      devices: DeviceList = .notAsked, machines: MachineRules = MachineRules(),
      remoteRights: @escaping (RemoteName) -> RemoteRights? = { _ in nil },
      launchFailure: @escaping (InstalledApplication) -> OpenFailure? = { _ in nil },
      redirectLoop: @escaping (InstalledApplication) -> OpenFailure?
    ) {
      self.links = links
      self.confirmations = confirmations
      self.site = site
      self.remoteRights = remoteRights
      self.devices = devices
      self.machines = machines
      self.launchFailure = launchFailure
      self.redirectLoop = redirectLoop
    }
  }
}

extension OpenRule {
  package static func decide(
    _ question: Question, in registry: Registry, by policies: Policies
  ) -> Decision {
    var decision = Decision.failed(.applicationNotFound("nothing was decided"))
    decision.isDesignated = question.designated != nil
    do throws(OpenFailure) {
      decision.outcome = .success(try open(question, registry, policies, &decision))
    } catch {
      decision.outcome = .failure(error)
      decision.missing = missing(question, registry)
    }
    return decision
  }

  private static func open(
    _ question: Question, _ registry: Registry, _ policies: Policies, _ decision: inout Decision
  ) throws(OpenFailure) -> Opening {
    let remote = question.acting.remote
    let rights = remote.flatMap(policies.remoteRights)
    if let remote { try RemoteRule.permit(question, of: remote, rights) }
    try AccessRule.permit(question, in: registry)
    let opener = question.acting.identifier.flatMap(registry.application)
    let outside = try outside(question, policies)
    var receiver: Receiver
    var form = Form.asOpened
    do throws(OpenFailure) {
      (receiver, form) = try receive(question, registry, policies, &decision)
    } catch {
      // The failure would tell which applications there are.
      guard outside?.needsAnswer == true else { throw error }
      receiver = .nobody(error)
    }
    let unconfirmed = try confirm(question, receiver, form, opener, outside, policies, &decision)
    if unconfirmed == nil, let failure = receiver.failure { throw failure }
    if unconfirmed != nil, let application = receiver.application,
      let failure = policies.launchFailure(application)
    {
      // Nothing is asked about what will not be done.
      guard outside != nil else {
        decision.confirmation = nil
        throw failure
      }
      receiver = .nobody(failure)
    }
    return Opening(
      receiver: receiver, form: form, unconfirmed: unconfirmed,
      source: receiver.application.flatMap { sourceApplication(opener: opener, receiver: $0) })
  }

  /// The rights of an opener outside of the user's session; nil for every other opener, and for what is no URL. An outsider
  /// has the rights of a new remote.
  private static func outside(
    _ question: Question, _ policies: Policies
  ) throws(OpenFailure) -> ConfirmationRule.Situation.Remote? {
    guard case .url(let scheme, _, _) = question.subject else { return nil }
    let remote = question.acting.remote
    if question.attachesFile, remote != nil || question.caller.isOutsider {
      throw .notPermitted(
        "the mailto URL names a file to be attached, which would be one of the machine where launchservicesd runs: leave"
          + " out 'attach'"
      )
    }
    if let name = remote {
      return .init(
        name: name, choice: policies.remoteRights(name)?[scheme] ?? .deny,
        hasPublicHost: question.hasPublicHost)
    }
    guard case .outsider(let outsider) = question.caller, outsider.hasRightsOfRemote else {
      return nil
    }
    if let objection = RemoteRights.objection(toAllowing: scheme) { throw .notPermitted(objection) }
    return .init(
      name: nil, choice: RemoteRights()[scheme], hasPublicHost: question.hasPublicHost)
  }

  private static func receive(
    _ question: Question, _ registry: Registry, _ policies: Policies, _ decision: inout Decision
  ) throws(OpenFailure) -> (Receiver, Form) {
    if let device = try device(question, registry, policies, &decision) {
      return (device, .asOpened)
    }
    let (application, form) = try choose(question, registry, policies, &decision)
    if form == .asOpened, let failure = policies.redirectLoop(application) { throw failure }
    decision.application = application
    return (.application(application), form)
  }

  /// The device that receives the URL; nil when an application receives the open.
  private static func device(
    _ question: Question, _ registry: Registry, _ policies: Policies, _ decision: inout Decision
  ) throws(OpenFailure) -> Receiver? {
    let machines = policies.machines.choice(question)
    if case .keeps(let kept) = machines { decision.kept = kept }
    decision.device = try DeviceRule.choice(question, registry, machines)
    guard let choice = decision.device else { return nil }
    if case .refused(let failure, _) = question.format { throw failure }
    let device: Device
    do throws(OpenFailure) {
      device = try policies.devices.device(named: choice.name)
    } catch {
      throw choice.reason == .callsFrom ? error.namingCallsFrom : error
    }
    if choice.reason == .callsFrom, device.transport == .ssh, let scheme = question.scheme,
      let kept = MachineRules.KeptURL(.scheme(scheme), for: device.name, question)
    {
      decision.kept = kept
      decision.device = nil
      return nil
    }
    decision.device?.device = device
    return .device(device, sentBy: choice.rule)
  }

  /// The decision for a request that the application received before. The user is not asked again.
  package static func repetition(
    of question: Question, with application: InstalledApplication, in registry: Registry,
    by policies: Policies
  ) -> Opening {
    let link = link(question, registry, policies)?.application(question.designated)
    let isLink = link?.identifier == application.identifier
    return Opening(
      receiver: .application(application),
      form: isLink ? .userActivity : question.format.isRefused ? .withoutURL : .asOpened,
      unconfirmed: nil,
      source: sourceApplication(
        opener: question.acting.identifier.flatMap(registry.application), receiver: application))
  }

  private static func choose(
    _ question: Question, _ registry: Registry, _ policies: Policies, _ decision: inout Decision
  ) throws(OpenFailure) -> (InstalledApplication, Form) {
    switch question.subject {
    case .url(let scheme, let host, _):
      if let link = try link(question, registry, policies, &decision) {
        return (link, .userActivity)
      }
      let target = OpenTarget(scheme: scheme, host: host, designated: question.designated)
      let (application, replaced) = try registry.handler(
        of: target, for: registry.profile(of: question.acting.identifier))
      decision.replaced = replaced
      try refuse(
        application, if: application.declaration.dropsURLs, ExecValue.refusal, &decision)
      return (application, try form(question.format, application, &decision))
    case .document(let subject):
      if question.universalLinksOnly { throw LinkRule.noLink(.file) }
      let application = try registry.choose(subject, designated: question.designated)
      try refuse(
        application, if: application.declaration.dropsDocuments, ExecValue.refusalOfFiles, &decision
      )
      return (application, .asOpened)
    case .quickAction(let identifier), .application(let identifier):
      return (try registry.installed(identifier), .asOpened)
    }
  }

  /// Refuses a desktop application that would be started without the URL or the document.
  private static func refuse(
    _ application: InstalledApplication, if drops: Bool,
    _ reason: (String, String?) -> String, _ decision: inout Decision
  ) throws(OpenFailure) {
    guard drops else { return }
    decision.application = application
    throw .launchFailed(reason(application.identifier.text, application.propertyList))
  }

  /// Refuses a URL that would have no effect, before the user is asked.
  private static func form(
    _ format: URLFormatFinding, _ application: InstalledApplication, _ decision: inout Decision
  ) throws(OpenFailure) -> Form {
    switch format {
    case .accepted: return .asOpened
    case .refused(_, opensApplication: true): return .withoutURL
    case .refused(let failure, opensApplication: false):
      decision.application = application
      throw failure
    }
  }

  /// The application that receives the URL as a universal link (R4.10). A designated application receives a
  /// plain URL, unless only a universal link is requested.
  private static func link(
    _ question: Question, _ registry: Registry, _ policies: Policies, _ decision: inout Decision
  ) throws(OpenFailure) -> InstalledApplication? {
    guard question.designated == nil || question.universalLinksOnly else { return nil }
    let link = link(question, registry, policies)
    decision.link = link
    let application = link?.application(question.designated)
    guard question.universalLinksOnly, application == nil else { return application }
    if let designated = question.designated { _ = try registry.installed(designated) }
    guard let link else { throw LinkRule.noLink(question.scheme ?? .file) }
    throw link.failure(question.designated)
  }

  private static func link(
    _ question: Question, _ registry: Registry, _ policies: Policies
  ) -> LinkRule.Decision? {
    guard question.designated == nil || question.universalLinksOnly,
      case .url(_, _, let link?) = question.subject
    else { return nil }
    return policies.links.decide(
      link, caller: question.acting.identifier, registry: registry, site: policies.site)
  }

  /// Nil when no confirmation is needed.
  private static func confirm(
    _ question: Question, _ receiver: Receiver, _ form: Form, _ opener: InstalledApplication?,
    _ outside: ConfirmationRule.Situation.Remote?, _ policies: Policies,
    _ decision: inout Decision
  ) throws(OpenFailure) -> ConfirmationRule.Situation? {
    // Universal links need no confirmation (R4.15), and the user has chosen quick actions and applications
    // directly.
    guard let scheme = question.scheme else { return nil }
    let isHandoff = decision.device?.reason == .callsFrom
    if let outside {
      let situation = ConfirmationRule.Situation(
        scheme: scheme, remote: outside, handler: receiver, isHandoff: isHandoff)
      return try confirm(situation, page: nil, policies, &decision)
    }
    guard form == .asOpened else { return nil }
    let page = WebOrigin.reason(
      question.finding, isLink: question.isLink, caller: question.caller, opener: opener)
    let origin: ConfirmationTable.Origin = page == nil ? .application : .web
    var judged = opener
    // For an open from a page, an application that was only assumed with option `as` is ignored.
    if origin == .web, case .assumed = question.acting { judged = nil }
    let situation = ConfirmationRule.Situation(
      scheme: scheme, opener: judged, origin: origin, handler: receiver, isHandoff: isHandoff)
    return try confirm(situation, page: page, policies, &decision)
  }

  /// Nil when no confirmation is needed.
  private static func confirm(
    _ situation: ConfirmationRule.Situation, page: WebOrigin.Reason?, _ policies: Policies,
    _ decision: inout Decision
  ) throws(OpenFailure) -> ConfirmationRule.Situation? {
    let answer = policies.confirmations.decide(situation)
    decision.confirmation = Decision.Confirmation(page: page, decision: answer)
    switch answer {
    case .allowed, .proceed, .permitted: return nil
    case .ask: return situation
    case .decline: throw .confirmationDeclined(answer.description)
    }
  }

  private static func missing(_ question: Question, _ registry: Registry) -> SystemApplication? {
    guard question.designated == nil, question.device == nil,
      case .url(let scheme, _, _) = question.subject
    else {
      return nil
    }
    return registry.missingSystemApplication(for: scheme, opener: question.acting.identifier)
  }
}
