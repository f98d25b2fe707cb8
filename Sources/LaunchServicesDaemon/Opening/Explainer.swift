internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules
internal import ProcessSupervision
internal import SystemSchemes

/// Explains opens: all steps of the decision, without a launch.
final class Explainer {
  private let store: RegistryStore
  private let decider: OpenDecider
  private let documents: DocumentResolver
  private let remotes: RemoteStore
  private let launches: LaunchExplainer
  private let endpoints: EndpointChecks
  /// Maximum length of a URL, in bytes.
  private let longest: Int

  init(
    _ store: RegistryStore, _ decider: OpenDecider, _ documents: DocumentResolver,
    _ remotes: RemoteStore, _ launches: LaunchExplainer, _ endpoints: EndpointChecks,
    longest: Int
  ) {
    self.store = store
    self.decider = decider
    self.documents = documents
    self.remotes = remotes
    self.launches = launches
    self.endpoints = endpoints
    self.longest = longest
  }

  /// Whether the devices must be known before the open of a URL is explained.
  func needsDevices(_ text: String, _ options: QueryOptions) -> Bool {
    decider.needsDevices(options.device, (try? RequestedURL(text, longest: longest))?.scheme)
  }

  /// The devices at this time.
  /// - Parameter name: of the device that the opener has named; nil for none.
  func devices(named name: String?) async -> DeviceList { await decider.devices(named: name) }

  /// The application of the desktop that would get a URL at a bus name or a socket; nil for other applications, devices, and
  /// an open that would fail.
  /// - Parameter devices: the devices, if `needsDevices` is true.
  func applicationWithEndpoint(
    _ text: String, _ options: QueryOptions, _ caller: IdentifiedCaller,
    devices: DeviceList? = nil
  ) -> InstalledApplication? {
    guard let conditions = try? conditions(options, caller), conditions.acting.remote == nil,
      let requested = try? RequestedURL(text, longest: longest)
    else { return nil }
    let (question, checked) = decider.question(about: requested, conditions)
    let decision = decider.decide(
      question, checked.text, of: caller, isCounted: false, devices: devices)
    guard let application = (try? decision.outcome.get())?.application,
      launches.hasEndpoint(application)
    else { return nil }
    return application
  }

  /// The failure of an open at this time because another process has taken the place of the application.
  func objection(to application: InstalledApplication?) async -> String? {
    guard let application else { return nil }
    return await endpoints.objection(to: application)
  }

  /// Explains an open of a URL that is not a file URL.
  /// - Parameters:
  ///   - devices: the devices, if `needsDevices` is true.
  ///   - objection: see `objection(to:)`.
  func explain(
    _ text: String, _ options: QueryOptions, _ caller: IdentifiedCaller,
    devices: DeviceList? = nil, objection: String? = nil
  ) throws(BusError) -> Options {
    let conditions = try conditions(options, caller)
    let acting = conditions.acting
    var steps: [ExplanationStep] = []
    var handler: Receiver?
    var opens = false
    var url: RequestedURL?
    do throws(OpenFailure) {
      let requested = try RequestedURL(text, longest: longest)
      url = requested
      let (question, checked) = decider.question(about: requested, conditions)
      let decision = decider.decide(
        question, checked.text, of: caller, isCounted: false, devices: devices)
      handler = try? decision.outcome.get().receiver
      if handler?.failure != nil { handler = nil }
      let launch = launches.explanation(of: decision, objection: objection)
      opens = launch.opens
      steps = explanation(requested, checked.explanation, acting) + launch.steps
      if question.device != nil || decision.device != nil {
        // The device chooses among its own applications.
        steps.removeAll { $0.step == Self.candidate }
      }
      if let remote = acting.remote {
        steps =
          explanation(requested.scheme, hasPublicHost: requested.hasPublicHost, of: remote)
          + steps.filter { !Self.ofQueries.contains($0.step) }
      }
    } catch {
      steps = [ExplanationStep("url", error.sentence)]
      steps.append(ExplanationStep("open", "fails: \(error.text)"))
    }
    var counted = store.countedQueries
    let answer = CanOpenRule.answer(
      scheme: url?.scheme, host: url?.host, caller: acting, registry: store.registry,
      machines: remotes.rules, quotas: &counted)
    if !AccessRule.mayKnowHandler(
      store.registry.sandboxed(caller.caller), canOpen: answer.isYes,
      isWeb: url?.scheme.isWeb == true)
    {
      handler = nil
      steps = ExplanationRule.withoutHandler(steps)
    }
    let refusal =
      if let remote = acting.remote {
        canOpenCode(url, of: remote)
      } else {
        answer.code
      }
    return explained(steps, cannotOpen: refusal, handler, opens: opens, acting)
  }

  /// The steps about queries, which concern applications only.
  private static let ofQueries: Set = ["url", "caller", "allowlist", candidate, "canOpen"]
  private static let candidate = "candidate"

  /// Why a remote gets the answer no; nil for yes.
  /// - Parameter url: nil for a text that is no URL.
  func canOpenCode(_ url: RequestedURL?, of remote: RemoteName) -> CanOpenCode? {
    canOpenCode(url?.scheme, hasPublicHost: url?.hasPublicHost == true, of: remote)
  }

  private func canOpenCode(
    _ scheme: URLScheme?, hasPublicHost: Bool, of remote: RemoteName
  ) -> CanOpenCode? {
    RemoteRule.canOpenCode(
      scheme, hasPublicHost: hasPublicHost, remotes[remote], in: store.registry)
  }

  private func explanation(
    _ scheme: URLScheme, hasPublicHost: Bool, of remote: RemoteName
  ) -> [ExplanationStep] {
    let right = RemoteRule.explanation(
      of: scheme, hasPublicHost: hasPublicHost, remote, remotes[remote])
    let answer =
      switch canOpenCode(scheme, hasPublicHost: hasPublicHost, of: remote) {
      case nil:
        "yes: an application handles the scheme, and the remote may open it without a question"
      case .noApplication?: "no: no application handles the scheme (-10814)"
      case _?: "no: \(right)"
      }
    return [
      ExplanationStep("url", "the scheme is \(scheme)"),
      ExplanationStep("caller", "\(remote), another machine or a container"),
      ExplanationStep("remote", right), ExplanationStep("canOpen", answer),
    ]
  }

  /// - Parameters:
  ///   - refusal: why `CanOpenURL` answers no; nil when it answers yes.
  ///   - opens: whether an open that reaches the handler would succeed.
  private func explained(
    _ steps: [ExplanationStep], cannotOpen refusal: CanOpenCode?, _ handler: Receiver?,
    opens: Bool, _ acting: ActingCaller
  ) -> Options {
    var explanation: Options = [
      "steps": .array(
        of: "(ss)", steps.map { .structure([.string($0.step), .string($0.sentence)]) }),
      "can-open": .boolean(refusal == nil),
      "would-open": .boolean(handler != nil && opens),
      "handler": .string(handler?.handlerName ?? ""),
      "caller": .string(acting.identifier?.text ?? acting.remote?.callerName ?? ""),
    ]
    if let refusal { explanation[Key.canOpenCode] = .string(refusal.rawValue) }
    return explanation
  }

  /// Explanations are refused for applications with a query quota (R3.8).
  private func conditions(
    _ options: QueryOptions, _ caller: IdentifiedCaller
  ) throws(BusError) -> OpenConditions {
    let conditions = try OpenConditions(options, caller)
    if let refusal = AccessRule.explanationRefusal(
      of: store.registry.sandboxed(caller.caller), acting: conditions.acting, in: store.registry)
    {
      throw refusal.busError
    }
    return conditions
  }

  /// The steps of the explanation, starting with the steps about the URL itself.
  private func explanation(
    _ url: RequestedURL, _ format: [String], _ acting: ActingCaller
  ) -> [ExplanationStep] {
    var steps = CanOpenRule.explanation(
      scheme: url.scheme, host: url.host, caller: acting, registry: store.registry,
      machines: remotes.rules, quotas: store.countedQueries)
    let format = format.map { ExplanationStep("format", $0) }
    steps.insert(contentsOf: format, at: min(1, steps.count))
    return steps
  }
}

// MARK: - Documents

extension Explainer {
  /// Looks at a file. What is returned explains an open of the file: its type, the applications that claim it, and what the
  /// open would do.
  func documentExplanation(
    _ text: String, _ options: QueryOptions, _ caller: IdentifiedCaller
  ) async -> () throws(BusError) -> Options {
    let found = await documents.look(at: [text], for: caller.share)
    let objection = await objection(
      to: applicationWithEndpoint(found[0], options, caller))
    return { [self] () throws(BusError) in
      try explanation(of: text, found[0], options, caller, objection)
    }
  }

  /// The application that would get the document at a bus name; nil for others. At a socket no application gets documents.
  private func applicationWithEndpoint(
    _ found: Result<ResolvedDocument, OpenFailure>, _ options: QueryOptions,
    _ caller: IdentifiedCaller
  ) -> InstalledApplication? {
    guard let conditions = try? conditions(options, caller), let document = try? found.get(),
      let application = try? decision(about: document, conditions, caller).outcome.get()
        .application,
      application.isStartedByBridge, application.declaration.isStartedByBus
    else { return nil }
    return application
  }

  private func decision(
    about document: ResolvedDocument, _ conditions: OpenConditions, _ caller: IdentifiedCaller
  ) -> OpenRule.Decision {
    decider.decide(
      conditions.question(.document(document.subject)), document.url.text, of: caller,
      isCounted: false)
  }

  private func explanation(
    of text: String, _ found: Result<ResolvedDocument, OpenFailure>, _ options: QueryOptions,
    _ caller: IdentifiedCaller, _ objection: String?
  ) throws(BusError) -> Options {
    let conditions = try conditions(options, caller)
    let acting = conditions.acting
    var counted = store.countedQueries
    let isURL = (try? documents.url(text).get()) != nil
    let answer = CanOpenRule.answer(
      scheme: isURL ? .file : nil, caller: acting, registry: store.registry, quotas: &counted)
    var steps = CanOpenRule.explanation(
      scheme: .file, host: nil, caller: acting, registry: store.registry,
      quotas: store.countedQueries
    )
    steps = ExplanationRule.withoutHandler(steps)
    var refusal = answer.code
    if let remote = acting.remote {
      steps = explanation(.file, hasPublicHost: true, of: remote)
      refusal = canOpenCode(.file, hasPublicHost: true, of: remote)
    }
    var opens = false
    var handler: InstalledApplication?
    do throws(OpenFailure) {
      let document = try found.get()
      steps += explanation(of: document)
      let decision = decision(about: document, conditions, caller)
      let launch = launches.explanation(of: decision, objection: objection)
      opens = launch.opens
      steps += launch.steps
      handler = try? decision.outcome.get().application
      if let handler {
        steps.append(
          ExplanationStep(
            "openInPlace",
            handler.declaration.usesDocumentsInPlace
              ? "true: the application may use the file in place"
              : "false: the application does not declare LSSupportsOpeningDocumentsInPlace and"
                + " copies the file first"))
      }
    } catch {
      steps.append(ExplanationStep("open", "fails: \(error.text)"))
    }
    if !AccessRule.mayKnowHandler(
      store.registry.sandboxed(caller.caller), canOpen: answer.isYes, isWeb: false)
    {
      handler = nil
      steps = ExplanationRule.withoutHandler(steps)
    }
    return explained(
      steps, cannotOpen: refusal, handler.map(Receiver.application), opens: opens, acting)
  }

  private func explanation(of document: ResolvedDocument) -> [ExplanationStep] {
    let kind = document.subject.kind
    let parents = store.registry.types.levels(of: kind.type).dropFirst().joined()
    var steps = [
      ExplanationStep("document", document.url.visiblePath),
      ExplanationStep("type", "\(kind.type) (\(kind.reason))"),
    ]
    if !parents.isEmpty {
      steps.append(
        ExplanationStep("conformsTo", parents.map(\.text).joined(separator: ", ")))
    }
    return steps
      + documents.candidates(for: document.subject).map {
        ExplanationStep("candidate", "\($0.identifier): \($0.why)")
      }
  }
}
